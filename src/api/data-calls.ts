import { expectItemsOptions } from '../items/code-arguments.ts'
import { itemsOnceOpen } from '../model/items/items-once-open.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { createQuery } from '../query/query.ts'
import { StoreQueries } from '../store/store-queries.ts'
import { findPreparedModel, type LoadedItem, loadItems } from './load-items.ts'
import { loadResource } from './load-resource.ts'
import type { Opening } from './opening.ts'
import type { Router } from './router.ts'
import type { RouterParts } from './router-lifecycle.ts'
import { defaultBlobGraceMs } from './router-settings.ts'

/** What code of the service does with items and blobs. */
type DataCalls = Pick<
  Router,
  'load' | 'loadResource' | 'sweep' | 'erase' | 'query' | 'items' | 'transaction'
>

/** Each call opens the router first. */
export function dataCalls(
  { options, settings, storage, registrations }: RouterParts,
  opening: Opening,
): DataCalls {
  const { store, blobs, observersOf, features } = settings
  const access = () => registrations.assembled().access
  const modelOf = (model: Parameters<Router['query']>[0], call: string) =>
    findPreparedModel(registrations.assembled().models, model, call)
  /** Items are loaded without hooks. */
  const loading = () => ({
    store,
    // Nobody whom something is hidden from learns from what the service loads.
    observers: observersOf(registrations.assembled().models, 'loads', () => false),
  })
  const open = async (): Promise<void> => {
    await opening.open()
  }
  /** A transaction can only run once the router is open. */
  const joined = <T>(called: Promise<T>): Promise<T> =>
    opening.isOpen() ? access().join(called) : called
  const refuseInTransaction = (call: string): void => {
    if (opening.isOpen()) access().refuseInTransaction(call)
  }
  return {
    load: async (model, items) => {
      refuseInTransaction('load()')
      await open()
      const { views } = registrations.assembled().variants.whole.services
      return loadItems(loading(), views.of(modelOf(model, 'load()')), items as Iterable<LoadedItem>)
    },
    loadResource: async (model, location, content) => {
      refuseInTransaction('loadResource()')
      await open()
      if (!blobs)
        throw new RegistrationError(
          'The router has no blob store. Set one: createRouter({ blobs, … }).',
        )
      return loadResource(loading(), blobs, modelOf(model, 'loadResource()'), location, content)
    },
    sweep: async (graceMs = options.blobGraceMs ?? defaultBlobGraceMs) => {
      await open()
      return storage.sweepBlobs(graceMs)
    },
    erase: async (model, id) => {
      refuseInTransaction('erase()')
      const described = modelOf(model, 'erase()')
      await open()
      let erased = 0
      for (const feature of features) erased += (await feature.erase?.(described, id)) ?? 0
      return erased
    },
    query: (model) =>
      createQuery(
        new StoreQueries(modelOf(model, 'query()'), async () => {
          await open()
          return store
        }),
      ),
    items: (model, itemsOptions) => {
      modelOf(model, 'items()')
      expectItemsOptions('items()', itemsOptions)
      // The code that is running decides what the items take part in, so an open router does not
      // wait first.
      const openItems = async () => {
        if (!opening.isOpen()) await open()
        return access().items(model, itemsOptions)
      }
      return itemsOnceOpen<typeof model>(openItems, (call) => joined(openItems().then(call)))
    },
    transaction: (work, itemsOptions) => {
      const begin = async () => {
        expectItemsOptions('transaction()', itemsOptions)
        if (!opening.isOpen()) await open()
        return access().transaction(work, itemsOptions)
      }
      return joined(begin())
    },
  }
}
