/**
 * @typedef {object} Variant
 * @property {string} name
 * @property {string} store
 * @property {number} processes that serve
 * @property {'service' | 'postmaster'} victim
 */

/** @type {readonly Variant[]} */
export const variants = [
  ['sqlite-documents', 1, 'service'],
  ['sqlite-documents', 4, 'service'],
  ['sqlite-tables', 1, 'service'],
  ['sqlite-tables', 4, 'service'],
  ['postgres', 1, 'service'],
  ['postgres', 4, 'service'],
  ['postgres', 1, 'postmaster'],
  ['postgres', 4, 'postmaster'],
].map(([store, processes, victim]) => {
  const name = victim === 'postmaster' ? `${victim}, ${processes}` : `${store}, ${processes}`
  return /** @type {Variant} */ ({ name, store, processes, victim })
})
