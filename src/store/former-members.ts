import { RegistrationError } from '../model/registration-error.ts'
import type { Store } from './store.ts'
import type { StoreTransaction } from './store-transaction.ts'

/** The group in which each member of a store stands. */
const storeGroups: Readonly<Record<string, 'facts' | 'fastPaths' | 'admin'>> = {
  writePositions: 'facts',
  canRefuseRemovals: 'facts',
  hasUnknownRules: 'facts',
  hasUnknownOutcomes: 'facts',
  keepsRange: 'facts',
  rawJson: 'fastPaths',
  findVersion: 'fastPaths',
  blobKeys: 'fastPaths',
  plan: 'admin',
  prune: 'admin',
  undeclaredBlobKeys: 'admin',
}

const transactionGroups: Readonly<Record<string, 'fastPaths' | 'locks'>> = {
  countEach: 'fastPaths',
  lockItems: 'locks',
  lockForWrite: 'locks',
}

/**
 * Refuses a store with members beside the groups in which they are read, for users without a
 * compiler: a router that does not find `undeclaredBlobKeys` would delete files.
 *
 * @throws RegistrationError that names all of them
 */
export function refuseFormerStoreMembers(store: Store): void {
  const message = misplacedMembers('store', store, storeGroups)
  if (message) throw new RegistrationError(message)
}

/**
 * The same for a transaction, which is only seen once one begins. Without its locks, two requests
 * could decide by the same count.
 *
 * @throws TypeError that names all of them
 */
export function refuseFormerTransactionMembers(transaction: StoreTransaction): void {
  const message = misplacedMembers('transaction', transaction, transactionGroups)
  if (message) throw new TypeError(message)
}

/** A member that its group has too is in its place: an object may be its own group. */
function misplacedMembers(
  owner: 'store' | 'transaction',
  holder: object,
  groups: Readonly<Record<string, string>>,
): string | undefined {
  const misplaced = Object.entries(groups).filter(
    ([name, group]) =>
      memberOf(holder, name) !== undefined && memberOf(memberOf(holder, group), name) === undefined,
  )
  if (misplaced.length === 0) return undefined
  const moves = misplaced.map(([name, group]) => `'${name}' is now '${owner}.${group}.${name}'`)
  return `Members of the ${owner} are in groups now: ${moves.join(', ')}.`
}

function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined
}
