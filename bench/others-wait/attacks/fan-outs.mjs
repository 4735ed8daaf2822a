import { attack, together } from '../attack.mjs'

/** @param {string} path */
const remove = (path) => ({ method: 'DELETE', path })

// Each can run once only, because it deletes its target.
export const fanOuts = [
  attack('delete-genre of 20000', (attacker) => attacker.ask(remove('/api/genres/held-by-some'))),
  attack('delete-genre of 100000', (attacker) => attacker.ask(remove('/api/genres/held-by-many'))),
  attack('delete-genres of 2000 x100', (attacker) =>
    together(100, (index) => attacker.ask(remove(`/api/genres/shared-${index}`))),
  ),
  attack('set-null of 100000', (attacker) => attacker.ask(remove('/api/publishers/large-house'))),
  attack('cascade of 20000', (attacker) => attacker.ask(remove('/api/books/reviewed-alone'))),
  attack('cascade of 20000 aborted', (attacker) =>
    attacker.abandon(remove('/api/books/reviewed-too'), 100),
  ),
  attack('set-null of 9000 x50', (attacker) =>
    together(50, (index) => attacker.ask(remove(`/api/publishers/publisher-${index}`))),
  ),
]
