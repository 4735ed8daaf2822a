import { inspect } from 'node:util'
import { truncate } from '../../error/truncate.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Schema } from '../../schema/standard-schema.ts'
import type { BlobStore } from '../../store/blob-store.ts'
import { refuseFormerStoreMembers } from '../../store/former-members.ts'
import { isSameFile } from '../../store/same-file.ts'
import type { Store } from '../../store/store.ts'
import { checkRequiredStore } from '../check-required-options.ts'
import type { RouterOptions } from '../router-options.ts'
import type { RouterByCallerOptions, StoreWithBlobs } from './router-by-caller-options.ts'

/** A store of a router, with its blob store. */
export interface NamedStore {
  readonly name: string
  readonly store: Store
  readonly blobs: BlobStore | undefined
}

/** Does the caller decide which store responds? Also for options that only try to say so. */
export function isByCaller<S extends Schema, Name extends string>(
  options: RouterOptions<S> | RouterByCallerOptions<S, Name>,
): options is RouterByCallerOptions<S, Name> {
  const { stores, store } = Object(options) as {
    readonly stores?: unknown
    readonly store?: unknown
  }
  return stores !== undefined || typeof store === 'function'
}

/** What other routers of the process call the stores. */
const namesOfStores = new WeakMap<Store, string>()

/** The name of one of several stores; undefined for the only one of a router. */
export function nameOfStore(store: Store): string | undefined {
  return namesOfStores.get(store)
}

/** @throws RegistrationError for stores that cannot be told apart, and what is no list of them */
export function checkStores<S extends Schema, Name extends string>(
  options: RouterByCallerOptions<S, Name> & { readonly blobs?: unknown },
): readonly NamedStore[] {
  const { stores: declared, store: choose, blobs, security } = options
  if (declared === undefined)
    refuse(
      "The option 'store' is a function. For one store, pass the result of a call, such as sqlite('data/books.db') or memory(). For several, list them in the option 'stores', and let the function name one of them.",
    )
  if (typeof declared !== 'object' || declared === null || Array.isArray(declared))
    refuse(
      `The option 'stores' must be an object with stores by their names, such as { north: sqlite('north.db') }; got ${truncate(inspect(declared, { depth: 0 }))}.`,
    )
  if (typeof choose !== 'function')
    refuse(
      "With the option 'stores', the option 'store' must be a function that gives the name of one of them, such as (caller) => caller?.group.",
    )
  if (blobs !== undefined)
    refuse(
      "With the option 'stores', each store has blobs of its own: { north: { store, blobs } }. Remove the option 'blobs'.",
    )
  const reader = security?.authentication?.find(({ readsItems }) => readsItems)
  if (reader)
    refuse(
      `The authenticator '${reader.name}' reads items of the router, but their store is only known once the caller is. Write an authenticator that reads the items of a router with one store.`,
    )
  const stores = Object.entries<Store | StoreWithBlobs>(declared).map(([name, value]) =>
    namedStore(name, value),
  )
  if (stores.length === 0) refuse("The option 'stores' is empty. Name at least one store.")
  refuseSameStores(stores)
  const incomplete = stores.find((store) => store.blobs === undefined)
  const complete = stores.find((store) => store.blobs !== undefined)
  if (incomplete && complete)
    refuse(
      `The store '${complete.name}' has blobs, and '${incomplete.name}' has none, although both have the same models. Set blobs for all stores or for none.`,
    )
  for (const { name, store } of stores) namesOfStores.set(store, name)
  return stores
}

function namedStore(name: string, value: Store | StoreWithBlobs): NamedStore {
  if (!/^[\w.-]{1,64}$/.test(name))
    refuse(
      `The name '${truncate(name)}' in the option 'stores' must have 1 to 64 letters, digits, '.', '_' and '-'.`,
    )
  const { store, blobs } = withBlobs(value)
  checkRequiredStore({ store, blobs }, `the store '${name}' of createRouter()`)
  refuseFormerStoreMembers(store)
  return { name, store, blobs }
}

function withBlobs(value: Store | StoreWithBlobs): StoreWithBlobs {
  return typeof value === 'object' && value !== null && 'store' in value ? value : { store: value }
}

/** Data that two names lead to would belong to the callers of both. */
function refuseSameStores(stores: readonly NamedStore[]): void {
  stores.forEach(({ name, store, blobs }, index) => {
    const other = stores.slice(0, index).find((each) => isSame(each.store, store))
    if (other)
      refuse(
        `'${other.name}' and '${name}' of the option 'stores' are one store. Give each name a store of its own.`,
      )
    const sharing = stores
      .slice(0, index)
      .find((each) => blobs && each.blobs && isSame(each.blobs, blobs))
    if (sharing)
      refuse(
        `'${sharing.name}' and '${name}' of the option 'stores' have one blob store. Give each name one of its own.`,
      )
    const known = namesOfStores.get(store)
    if (known !== undefined && known !== name)
      refuse(
        `The store '${name}' is '${known}' of another router. Routers that share a store must give it one name.`,
      )
  })
}

/** Also by two paths. Which database an address of a server leads to is not known here. */
function isSame(one: Store | BlobStore, other: Store | BlobStore): boolean {
  if (one === other) return true
  return !!one.files && !!other.files && isSameFile(one.files.path, other.files.path)
}

function refuse(sentence: string): never {
  throw new RegistrationError(`createRouter(): ${sentence}`)
}
