// What the writers write: an entry with its tags and its account, in steps, and its attachment.
// What each of them is follows from the number of the entry, so that checks know it too.

import { createHash } from 'node:crypto'

/** Writers share them, so that they wait for each other. */
export const accountIds = ['account-0', 'account-1', 'account-2', 'account-3']
export const tagIds = ['tag-0', 'tag-1', 'tag-2', 'tag-3', 'tag-4']

const json = { 'content-type': 'application/json' }

/**
 * @param {number} number
 * @param {number} step
 */
export function entryAt(number, step) {
  const turn = number + step
  const tags = [tagIds[turn % tagIds.length], tagIds[(turn + 2) % tagIds.length]]
  return { number, step, account: accountIds[turn % accountIds.length], tags }
}

/**
 * Up to 600 kB: PostgreSQL keeps them in pieces of 256 KiB.
 *
 * @param {number} number
 * @param {number} upload the first is 1
 */
export function attachmentOf(number, upload) {
  return Buffer.alloc(attachmentSize(number, upload), `entry ${number}, upload ${upload}. `)
}

/**
 * @param {number} number
 * @param {number} upload
 */
export function attachmentSize(number, upload) {
  return 1 + ((number * 7_919 + upload * 104_729) % 600_000)
}

/** @param {Uint8Array} bytes */
export function sha256(bytes) {
  return createHash('sha256').update(bytes)
}

/**
 * The writes of an entry, in their order.
 *
 * @typedef {'create' | 'change' | 'upload'} Kind
 * @type {readonly Kind[]}
 */
export const turns = ['create', 'change', 'upload', 'change', 'upload']

/**
 * What an entry is after so many of its writes.
 *
 * @param {number} writes
 */
export function stateAfter(writes) {
  const done = turns.slice(0, writes)
  return {
    step: done.filter((kind) => kind === 'change').length,
    upload: done.filter((kind) => kind === 'upload').length,
  }
}

/**
 * The write that follows so many others.
 *
 * @param {number} number
 * @param {number} writes
 * @param {string} id of the entry, where it has one
 * @returns {import('../harness/client.mjs').Asked & { headers: Record<string, string> }}
 */
export function writeRequest(number, writes, id) {
  const { step, upload } = stateAfter(writes + 1)
  const key = { 'idempotency-key': `"entry ${number}, write ${writes}"` }
  const kind = turns[writes]
  if (kind === 'upload') {
    const body = attachmentOf(number, upload)
    const digest = `sha-256=:${sha256(body).digest('base64')}:`
    const headers = { ...key, 'content-type': 'application/octet-stream', 'content-digest': digest }
    return { method: 'POST', path: `/entries/${id}/attachment`, headers, body }
  }
  const body = JSON.stringify({ entry: entryAt(number, step) })
  const headers = { ...key, ...json }
  return kind === 'create'
    ? { method: 'POST', path: '/entries', headers, body }
    : { method: 'PATCH', path: `/entries/${id}`, headers, body }
}

/** @returns {import('../harness/client.mjs').Asked[]} */
export function preparations() {
  return [
    ...accountIds.map((id) => ({ path: '/accounts', body: { account: { id } } })),
    ...tagIds.map((id) => ({ path: '/tags', body: { tag: { id } } })),
  ].map(({ path, body }) => ({ method: 'POST', path, headers: json, body: JSON.stringify(body) }))
}
