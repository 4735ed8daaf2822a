// What the writers write: an entry, which changes the rollups of its account, or two sides in one
// batch. Each write has a number of its own.

/** Several writers share one, so that they wait for each other. */
export const accountCount = 4

const mediaType = 'application/vnd.api+json'
const batchType = `${mediaType};ext="https://jsonapi.org/ext/atomic"`

/** @param {number} index */
const accountId = (index) => `account-${index % accountCount}`

/** @param {number} index */
export const accountRequest = (index) => ({
  path: '/accounts',
  type: mediaType,
  body: { data: { type: 'accounts', id: accountId(index), attributes: { name: 'Account' } } },
})

/**
 * @param {number} number
 * @param {number} writer
 */
export function writeRequest(number, writer) {
  return number % 2 === 0 ? entryRequest(number, writer) : pairRequest(number)
}

/**
 * @param {number} number
 * @param {number} writer
 */
function entryRequest(number, writer) {
  const account = { data: { type: 'accounts', id: accountId(writer) } }
  const data = { type: 'entries', attributes: { number }, relationships: { account } }
  return { path: '/entries', type: mediaType, body: { data } }
}

/** @param {number} number */
function pairRequest(number) {
  const operations = ['left', 'right'].map((name) => ({
    op: 'add',
    data: { type: 'sides', attributes: { number, name } },
  }))
  return { path: '/operations', type: batchType, body: { 'atomic:operations': operations } }
}
