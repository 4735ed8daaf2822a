import type { Store } from '../store/store.ts'

/** What runs beside requests, until it is closed. */
export interface RunningWork {
  /** Waits for the functions that run, and lets other processes take over. */
  close(): Promise<void>
}

/** Why functions stop that run then. */
export function routerCloses(): Error {
  return new Error('The router closes.')
}

const runningByStore = new WeakMap<Store, Set<RunningWork>>()

/** What runs in this process over a store, of all routers. */
export function runningOver(store: Store): Set<RunningWork> {
  const running = runningByStore.get(store) ?? new Set()
  runningByStore.set(store, running)
  return running
}

/**
 * Closes what runs over a store, of all routers: a router that closes takes the store from all of
 * them, and they could not store what they have done.
 */
export async function closeRunningOver(store: Store): Promise<void> {
  const running = runningOver(store)
  await Promise.all([...running].map((work) => work.close()))
  running.clear()
}
