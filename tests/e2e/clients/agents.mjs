// The sessions of `@anthropic-ai/sdk`, and the memory of the agents in them. It is the twin of `agents.py`.
// What the package does not know (credentials, prompts, deployments, bots) it reaches by its path.

import { all, id, refusal } from './answers.mjs';

const PROMISE = 'kept by an agent'; // as in the test
const WANTED = { agent: 'note-taker', environment_id: 'env_local' };

const mount = (memory_store_id, more = {}) => ({ type: 'memory_store', memory_store_id, ...more });

/** Sessions that have a store, a second one to be read only, or none. */
export async function walkSessions(client, store) {
  const { sessions } = client.beta;
  const { resources } = sessions;
  const { id: rules } = await client.beta.memoryStores.create({
    name: 'House rules',
    description: 'What all must know.',
  });
  const created = await sessions.create({
    ...WANTED,
    title: 'Walk',
    metadata: { team: 'a' },
    resources: [mount(store), mount(rules, { access: 'read_only', instructions: 'Read them first.' })],
  });
  const others = [];
  for (const version of [1, 2, 3]) {
    others.push(await sessions.create({ ...WANTED, agent: { type: 'agent', id: 'note-taker', version } }));
  }
  const createWith = (...stores) => sessions.create({ ...WANTED, resources: stores.map((id) => mount(id)) });
  return {
    rules,
    created,
    versioned: others[2],
    retrieved: await sessions.retrieve(created.id),
    resources: await all(resources.list(created.id)),
    others: others.map(id),
    listed: await all(sessions.list({ limit: 2 }), id),
    with_store: await all(sessions.list({ memory_store_id: rules }), id),
    since: await all(sessions.list({ 'created_at[gte]': others[1].created_at }), id),
    archived: await sessions.archive(others[0].id),
    without_archived: await all(sessions.list(), id),
    with_archived: await all(sessions.list({ include_archived: true }), id),
    deleted: await sessions.delete(others[1].id),
    prompt: await client.get(`/v1/sessions/${created.id}/memory_prompt`),
    refusals: {
      deleted: await refusal(() => sessions.retrieve(others[1].id)),
      unknown_store: await refusal(() => createWith(`memstore_${'0'.repeat(32)}`)),
      twice: await refusal(() => createWith(store, store)),
      add: await refusal(() => resources.add(created.id, { type: 'file', file_id: 'file_0' })),
      update: await refusal(() => resources.update(store, { session_id: created.id, authorization_token: 'x' })),
      delete: await refusal(() => resources.delete(store, { session_id: created.id })),
    },
  };
}

/** An agent has a token of its session where others have a key, and finds its stores. */
export async function walkAgent(client, session, store, rules) {
  const at = { memory_store_id: store };
  const credentialsUrl = `/v1/sessions/${session}/credentials`;
  const credentials = await client.post(credentialsUrl, { body: { type: 'bearer' } });
  const other = await client.beta.memoryStores.create({ name: 'Another' });
  const agent = client.withOptions({ apiKey: credentials.token });
  const { memoryStores: stores, sessions } = agent.beta;
  const memory = await stores.memories.create(store, { path: '/agent.md', content: 'draft' });
  const changed = await stores.memories.update(memory.id, { ...at, content: PROMISE, view: 'full' });
  return {
    credentials: { ...credentials, token: credentials.token.slice(0, 4) },
    sees: await all(stores.list(), id),
    changed,
    versions: await all(stores.memoryVersions.list(store, { session_id: session })),
    own_session: await sessions.retrieve(session),
    refusals: {
      writes_read_only: await refusal(() => stores.memories.create(rules, { path: '/mine', content: '' })),
      reads_another: await refusal(() => stores.retrieve(other.id)),
      makes_a_store: await refusal(() => stores.create({ name: 'Mine' })),
      lists_sessions: await refusal(() => sessions.list()),
    },
    revoked: await client.delete(credentialsUrl),
    after_all: await refusal(() => stores.memories.retrieve(memory.id, at)),
  };
}

/** The stores of a deployment or bot, as one of its sessions sees them before and after each change. */
export async function walkLive(client, kind, store) {
  const holder = `/v1/${kind}s/nightly`;
  const url = `${holder}/memory_stores/${store}`;
  const attached = await client.put(url, { body: { access: 'read_write' } });
  const session = await client.beta.sessions.create({ ...WANTED, [`${kind}_id`]: 'nightly' });
  const look = () => all(client.beta.sessions.resources.list(session.id), (resource) => resource.access);
  const seen = [await look()];
  await client.put(url, { body: { access: 'read_only' } });
  seen.push(await look());
  const retrieved = await client.get(url);
  const listed = await client.get(`${holder}/memory_stores`);
  const detached = await client.delete(url);
  seen.push(await look());
  const deleted = await client.delete(holder);
  const gone = await refusal(() => client.get(`${holder}/memory_stores`));
  return { attached, session, seen, retrieved, listed, detached, deleted, gone };
}
