import type { ServedStore } from './served-stores.ts'

/** What a log says once a service listens. */
export interface StartEntry {
  readonly address: string
  readonly stores: readonly ServedStore[]
}

export function listensAt({ address }: Pick<StartEntry, 'address'>): string {
  return `Listens at ${address}`
}

/** For people, such as `Listens at http://127.0.0.1:3000 with SQLite 3.53.1, documents`. */
export function startText(start: StartEntry): string {
  const stores = start.stores.map(storeText)
  return stores.length === 0 ? listensAt(start) : `${listensAt(start)} with ${stores.join('; ')}`
}

function storeText({ name, engine, format, lacks }: ServedStore): string {
  const features = lacks && (lacks.length === 0 ? 'all features' : `without ${lacks.join(', ')}`)
  const description = [engine, format, features].filter((part) => part !== undefined).join(', ')
  return name === undefined ? description : `${name}: ${description}`
}
