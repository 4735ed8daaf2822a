import type { Store, StoreReader, StoreTransaction } from './store.ts'

/**
 * A type whose every member has to be named, the optional ones too: who wraps a store and forgets
 * one does not compile.
 */
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

/**
 * The store with other members in the place of some. All others are its own, whatever arguments
 * they take.
 */
export function wrapStore(store: Store, changed: Partial<Store>): Store {
  return wrapMembers(store, storeMembers, changed)
}

/** The same for a transaction. */
export function wrapTransaction(
  transaction: StoreTransaction,
  changed: Partial<StoreTransaction>,
): StoreTransaction {
  return wrapMembers(transaction, transactionMembers, changed)
}

/** What a transaction reads, and nothing that it writes. */
export function readerOf(transaction: StoreTransaction): StoreReader {
  return wrapMembers<StoreReader>(transaction, readerMembers, {})
}

function wrapMembers<S extends object>(inner: S, names: MemberNames<S>, changed: Partial<S>): S {
  const made: Partial<S> = {}
  for (const name of Object.keys(names) as (keyof S)[]) {
    const member = inner[name]
    // Bound, for a store may be an object of a class.
    if (member !== undefined)
      made[name] = typeof member === 'function' ? member.bind(inner) : member
  }
  return { ...made, ...changed } as S
}
