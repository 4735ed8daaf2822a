import type { Store, StoreAccess, StoreReader, StoreTransaction } from './store.ts'

/** Requires optional members too, so that a wrapper which forgets one does not compile. */
export type EveryMember<S> = { readonly [K in keyof Required<S>]: S[K] }

const readerMembers: MemberNames<StoreReader> = {
  find: true,
  list: true,
  page: true,
  count: true,
  relatedPages: true,
}
const transactionMembers: MemberNames<StoreTransaction> = {
  ...readerMembers,
  insert: true,
  replace: true,
  remove: true,
}
const storeMembers: MemberNames<Store> = {
  ...readerMembers,
  open: true,
  close: true,
  write: true,
  rawJson: true,
  findVersion: true,
}

type MemberNames<S> = Readonly<Record<keyof S, true>>

/** The store with some of its members replaced. */
export function wrapStore(store: Store, replacements: Partial<Store>): Store {
  return wrapMembers(store, storeMembers, replacements)
}

/** The transaction with some of its members replaced. */
export function wrapTransaction(
  transaction: StoreTransaction,
  replacements: Partial<StoreTransaction>,
): StoreTransaction {
  return wrapMembers(transaction, transactionMembers, replacements)
}

/**
 * A transaction under way as a store: writes are part of it. It has no `rawJson` and no
 * `findVersion`, because those read what is committed.
 */
export function transactionAccess(transaction: StoreTransaction): StoreAccess {
  return { ...readerOf(transaction), write: (work) => work(transaction) }
}

/** The reading methods of a transaction. */
export function readerOf(transaction: StoreTransaction): StoreReader {
  return wrapMembers<StoreReader>(transaction, readerMembers, {})
}

function wrapMembers<S extends object>(
  inner: S,
  names: MemberNames<S>,
  replacements: Partial<S>,
): S {
  const wrapped: Partial<S> = {}
  for (const name of Object.keys(names) as (keyof S)[]) {
    const member = inner[name]
    // Bound, because a store may be an instance of a class.
    if (member !== undefined)
      wrapped[name] = typeof member === 'function' ? member.bind(inner) : member
  }
  return { ...wrapped, ...replacements } as S
}
