import type { Store, StoreReader, StoreTransaction } from './store.ts'

/** A type whose every member has to be named, the optional ones too: who wraps a store and forgets one does not compile. */
export type EveryMember<S> = { readonly [K in keyof Required<S>]: S[K] }

const ofReader: EveryName<StoreReader> = { find: true, list: true, page: true, count: true, relatedPages: true }
const ofTransaction: EveryName<StoreTransaction> = { ...ofReader, insert: true, replace: true, remove: true }
const ofStore: EveryName<Store> = { ...ofReader, open: true, close: true, write: true, texts: true, version: true }

type EveryName<S> = Readonly<Record<keyof S, true>>

/** The store with other members in the place of some. All others are its own, whatever arguments they take. */
export function storeWith(store: Store, changed: Partial<Store>): Store {
  return withMembers(store, ofStore, changed)
}

/** The same for a transaction. */
export function transactionWith(transaction: StoreTransaction, changed: Partial<StoreTransaction>): StoreTransaction {
  return withMembers(transaction, ofTransaction, changed)
}

/** What a transaction reads, and nothing that it writes. */
export function readsOf(transaction: StoreTransaction): StoreReader {
  return withMembers<StoreReader>(transaction, ofReader, {})
}

function withMembers<S extends object>(inner: S, names: EveryName<S>, changed: Partial<S>): S {
  const made: Partial<S> = {}
  for (const name of Object.keys(names) as (keyof S)[]) {
    const member = inner[name]
    // Bound, for a store may be an object of a class.
    if (member !== undefined) made[name] = typeof member === 'function' ? member.bind(inner) : member
  }
  return { ...made, ...changed } as S
}
