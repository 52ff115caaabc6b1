// What the walks make of answers and refusals of `@anthropic-ai/sdk`.

import { APIError } from '@anthropic-ai/sdk';

/** All items of a list, over all its pages. */
export async function all(list, pick = (item) => item) {
  const items = [];
  for await (const item of list) items.push(pick(item));
  return items;
}

export const id = (item) => item.id;

/** How a call is refused. */
export async function refusal(call) {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof APIError) || error.status === undefined) throw error;
    return { class: error.constructor.name, status: error.status, body: error.error, request_id: error.requestID };
  }
  return { class: null };
}
