import type { Router } from '../router.ts'
import { withStoreOfWork } from './name-store.ts'
import type { StoreRouter } from './store-router.ts'

type WorkInAll = Pick<
  Router,
  'sweep' | 'plan' | 'prune' | 'consumers' | 'repeatAside' | 'jobs' | 'runJob'
>

/** What is done in each store of a router, in their order. One that fails stops no other. */
export function workInAll(stores: readonly StoreRouter[]): WorkInAll {
  const inEach = async <T>(work: (router: Router) => Promise<T>): Promise<readonly T[]> => {
    const results: T[] = []
    const failures: unknown[] = []
    for (const { name, router } of stores)
      try {
        results.push(await work(router as Router))
      } catch (error) {
        failures.push(withStoreOfWork(name, error))
      }
    if (failures.length > 0) throw failures[0]
    return results
  }
  const reportsOfEach = async <R>(
    reportsOf: (router: Router) => Promise<readonly R[]>,
  ): Promise<readonly (R & { readonly store: string })[]> =>
    (await inEach(reportsOf)).flatMap((reports, index) =>
      reports.map((report) => ({ ...report, store: stores[index]!.name })),
    )
  /** Undefined if a store cannot tell. */
  const allOrNone = <T>(lists: readonly (readonly T[] | undefined)[]): readonly T[] | undefined =>
    lists.every((list) => list !== undefined) ? lists.flat() : undefined
  return {
    sweep: async (graceMs) =>
      (await inEach((router) => router.sweep(graceMs))).reduce((sum, count) => sum + count, 0),
    plan: async () => allOrNone(await inEach((router) => router.plan())),
    prune: async (options) => allOrNone(await inEach((router) => router.prune(options))),
    consumers: () => reportsOfEach((router) => router.consumers()),
    repeatAside: async (name) => {
      await inEach((router) => router.repeatAside(name))
    },
    jobs: () => reportsOfEach((router) => router.jobs()),
    runJob: async (name) => {
      await inEach((router) => router.runJob(name))
    },
  }
}
