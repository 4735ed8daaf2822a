import type { Store } from './store.ts'
import type { StoreReader } from './store-reader.ts'

/** Requires optional members too, so that a wrapper which forgets one does not compile. */
export type EveryMember<S> = { readonly [K in keyof Required<S>]: S[K] }

const readerMembers: MemberNames<StoreReader> = {
  find: true,
  list: true,
  page: true,
  count: true,
  groups: true,
  relatedPages: true,
}
const storeMembers: MemberNames<Store> = {
  ...readerMembers,
  write: true,
  open: true,
  close: true,
  facts: true,
  fastPaths: true,
  admin: true,
  notes: true,
  requestRecords: true,
  changes: true,
  files: true,
}

type MemberNames<S> = Readonly<Record<keyof S, true>>

/** The store with some of its members replaced; a group of members as a whole. */
export function wrapStore(store: Store, replacements: Partial<Store>): Store {
  return wrapMembers(store, storeMembers, replacements)
}

/** The reading methods of a store or a transaction. */
export function readerOf(reader: StoreReader): StoreReader {
  return wrapMembers<StoreReader>(reader, readerMembers, {})
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
