// A walk through every method of `@anthropic-ai/sdk`, written as its users write. Prints what it met as JSON.
// It is the twin of `walk.py`.

import { createHash } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import { VERSION } from '@anthropic-ai/sdk/version';
import { walkAgent, walkLive, walkSessions } from './agents.mjs';
import { all, id, refusal } from './answers.mjs';

const { BASE_URL, API_KEY, WORKSPACE_ID } = process.env;
const TEXT = 'naïve\r\n\t\0 e\u0301 \ufeff 😀\u2028';
const LARGE = '\x01'.repeat(102_400);
const LOST = 'its first reply is lost'; // the test takes away the first reply to a request that says so

const client = new Anthropic({ baseURL: BASE_URL, apiKey: API_KEY });
const stores = client.beta.memoryStores;
const { memories, memoryVersions: versions } = stores;

const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const guard = (text) => ({ type: 'content_sha256', content_sha256: sha256(text) });

const name = (store) => store.name;
const path = (memory) => memory.path;

async function walkStores() {
  const created = await stores.create({
    name: 'Walk',
    description: 'The first',
    metadata: { team: 'a', stage: 'test' },
  });
  const others = [];
  for (const number of [0, 1, 2, 3]) others.push(await stores.create({ name: `Other ${number}` }));
  const facts = {
    created,
    retrieved: await stores.retrieve(created.id),
    updated: await stores.update(created.id, { name: 'Walked', metadata: { team: null, owner: 'b' } }),
    listed: await all(stores.list({ limit: 2 }), name),
    since: await all(stores.list({ 'created_at[gte]': others[2].created_at }), name),
    until: await all(stores.list({ 'created_at[lte]': created.created_at }), name),
    archived: await stores.archive(others[0].id),
    archived_again: await stores.archive(others[0].id),
    without_archived: await all(stores.list(), name),
    with_archived: await all(stores.list({ include_archived: true, limit: 1 }), name),
    deleted: await stores.delete(others[1].id),
    in_workspace: await stores.retrieve(created.id, { workspace_id: WORKSPACE_ID }),
  };
  const { data: parsed, response } = await stores.retrieve(created.id).withResponse();
  facts.raw = { status: response.status, request_id: response.headers.get('request-id'), parsed };
  const wrong = new Anthropic({ baseURL: BASE_URL, apiKey: 'wrong' });
  facts.refusals = {
    deleted: await refusal(() => stores.retrieve(others[1].id)),
    archived: await refusal(() => memories.create(others[0].id, { path: '/a', content: '' })),
    both_betas: await refusal(() => stores.retrieve(created.id, { betas: ['managed-agents-2026-04-01'] })),
    other_workspace: await refusal(() => stores.list({ workspace_id: 'wrkspc_other' })),
    wrong_key: await refusal(() => wrong.beta.memoryStores.create({ name: 'Wrong' })),
  };
  return facts;
}

async function walkMemories(store) {
  const at = { memory_store_id: store };
  const created = await memories.create(store, { path: '/notes/a.md', content: TEXT, view: 'full' });
  const basic = await memories.create(store, { path: '/notes/b.md', content: '' });
  for (const path of ['/notes/deep/c.md', '/notes/deep/d.md', '/e.md']) {
    await memories.create(store, { path, content: path });
  }
  const large = await memories.create(store, { path: '/large', content: LARGE });
  const facts = {
    created,
    basic,
    retrieved: await memories.retrieve(created.id, at),
    retrieved_basic: await memories.retrieve(created.id, { ...at, view: 'basic' }),
    large,
    large_is_whole: (await memories.retrieve(large.id, at)).content === LARGE,
    updated: await memories.update(created.id, { ...at, content: 'two', precondition: guard(TEXT), view: 'full' }),
    renamed: await memories.update(created.id, { ...at, path: '/notes/z.md', view: 'full' }),
    paths: await all(memories.list(store, { limit: 2 }), path),
    folded: (await all(memories.list(store, { path_prefix: '/notes/', depth: 1 }))).filter((item) =>
      item.path.endsWith('/'),
    ),
    children: await all(memories.list(store, { path_prefix: '/notes/', depth: 1, limit: 1 }), path),
    full: Object.fromEntries(await all(memories.list(store, { view: 'full' }), (item) => [item.path, item.content])),
  };
  delete facts.full['/large'];
  facts.refusals = {
    taken: await refusal(() => memories.create(store, { path: '/notes/z.md', content: 'other' })),
    below_a_file: await refusal(() => memories.create(store, { path: '/e.md/f', content: '' })),
    a_directory: await refusal(() => memories.create(store, { path: '/notes/deep', content: '' })),
    stale: await refusal(() =>
      memories.update(created.id, { ...at, content: 'three', precondition: guard('one') }),
    ),
    stale_delete: await refusal(() =>
      memories.delete(created.id, { ...at, expected_content_sha256: sha256('one') }),
    ),
    bad_path: await refusal(() => memories.create(store, { path: 'no/slash', content: '' })),
    unknown: await refusal(() => memories.retrieve(`mem_${'0'.repeat(32)}`, at)),
  };
  facts.deleted = await memories.delete(basic.id, { ...at, expected_content_sha256: sha256('') });
  facts.refusals.deleted = await refusal(() => memories.retrieve(basic.id, at));
  return facts;
}

async function walkVersions(store, memoryId) {
  const at = { memory_store_id: store };
  const everything = await all(versions.list(store, { limit: 2 }));
  const ofMemory = await all(versions.list(store, { memory_id: memoryId, view: 'full' }));
  const [newest, middle, oldest] = ofMemory;
  const author = newest.created_by.api_key_id;
  const time = { 'created_at[gte]': middle.created_at, 'created_at[lte]': middle.created_at };
  const restore = `/v1/memory_stores/${store}/memory_versions/${oldest.id}/restore`;
  return {
    everything,
    of_memory: ofMemory,
    deletions: await all(versions.list(store, { operation: 'deleted' })),
    by_author: await all(versions.list(store, { api_key_id: author, limit: 3 }), id),
    by_nobody: await all(versions.list(store, { session_id: 'sesn_nobody' }), id),
    by_no_service: await all(versions.list(store, { service_account_id: 'nobody' }), id),
    at_one_time: await all(versions.list(store, time), id),
    retrieved: await versions.retrieve(oldest.id, at),
    retrieved_basic: await versions.retrieve(oldest.id, { ...at, view: 'basic' }),
    head: await refusal(() => versions.redact(newest.id, at)),
    restored: await client.post(restore),
    redacted: await versions.redact(oldest.id, at),
    redacted_again: await versions.redact(oldest.id, at),
    kept_for_audit: await versions.retrieve(oldest.id, at),
    restored_redacted: await refusal(() => client.post(restore)),
  };
}

/** The package sends a request again whose reply it did not get. */
async function walkLostReplies(store) {
  const at = { memory_store_id: store };
  const created = await refusal(() => memories.create(store, { path: '/lost', content: `create: ${LOST}` }));
  const memoryId = created.body.error.conflicting_memory_id;
  const found = await memories.retrieve(memoryId, at);
  const content = `update: ${LOST}`;
  const updated = await memories.update(memoryId, { ...at, content, precondition: guard(found.content) });
  const history = await all(versions.list(store, { memory_id: memoryId, view: 'full' }), (version) => version.content);
  return { created, updated, history };
}

/** Keys are this service's own: the package reaches them by their paths. */
async function walkKeys(store) {
  const body = { name: 'Reader', role: 'read_only', memory_store_ids: [store] };
  const { secret, ...created } = await client.post('/v1/api_keys', { body });
  const reader = new Anthropic({ baseURL: BASE_URL, apiKey: secret }).beta.memoryStores;
  return {
    created,
    listed: await client.get('/v1/api_keys'),
    sees: await all(reader.list(), id),
    may_not_write: await refusal(() => reader.memories.create(store, { path: '/mine', content: '' })),
    deleted: await client.delete(`/v1/api_keys/${created.id}`),
    may_no_more: await refusal(() => reader.retrieve(store)),
  };
}

const ofStores = await walkStores();
const store = ofStores.created.id;
const ofMemories = await walkMemories(store);
const ofVersions = await walkVersions(store, ofMemories.created.id);
const lost = await walkLostReplies(store);
const keys = await walkKeys(store);
const sessions = await walkSessions(client, store);
const agent = await walkAgent(client, sessions.created.id, store, sessions.rules);
const live = { deployment: await walkLive(client, 'deployment', store), bot: await walkLive(client, 'bot', store) };
const facts = { version: VERSION, stores: ofStores, memories: ofMemories, versions: ofVersions };
console.log(JSON.stringify({ ...facts, lost, keys, sessions, agent, live }));
