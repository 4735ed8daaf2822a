import type { StoreFacts } from '../../store/store.ts'
import type { NamedStore } from './check-stores.ts'

/**
 * A store, or a part of one, for a router that may know what it can do, and must not use its data.
 * @param sentence what whoever uses it does wrong
 * @param facts in place of those of the store
 */
export function withoutData<T extends object>(part: T, sentence: string, facts?: object): T {
  const refuse = (): never => {
    throw new TypeError(sentence)
  }
  // Of an empty object, because the members of a frozen one cannot be replaced.
  return new Proxy({} as T, {
    has: (_, name) => name in part,
    get: (_, name) => {
      if (name === 'facts') return facts
      const value: unknown = Reflect.get(part, name)
      if (typeof value === 'function') return refuse
      return typeof value === 'object' && value !== null ? withoutData(value, sentence) : value
    },
  })
}

/** What is true of at least one of the stores: the document says what may happen in any. */
export function factsOfStores(stores: readonly NamedStore[]): StoreFacts {
  const all = stores.map(({ store }) => store.facts ?? {})
  return {
    writePositions: all.find(({ writePositions }) => writePositions)?.writePositions,
    canRefuseRemovals: all.some((facts) => facts.canRefuseRemovals),
    hasUnknownRules: all.some((facts) => facts.hasUnknownRules),
    hasUnknownOutcomes: all.some((facts) => facts.hasUnknownOutcomes),
    isProcessLocal: all.some((facts) => facts.isProcessLocal),
    // Each store refuses for itself what it cannot do.
    canCaptureChanges: true,
    keepsRelations: true,
  }
}

/** The same of their blob stores. */
export function factsOfBlobs(stores: readonly NamedStore[]): { readonly isProcessLocal: boolean } {
  return { isProcessLocal: stores.some(({ blobs }) => blobs?.facts?.isProcessLocal) }
}
