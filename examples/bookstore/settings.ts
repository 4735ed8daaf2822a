import type { Store } from 'resourcery'
import { memory } from 'resourcery/memory'
import { sqlite } from 'resourcery/sqlite'

/** What the environment says. */
export interface Settings {
  readonly host: string
  readonly port: number
  /** What links begin with; the address that is listened at unless `PUBLIC_URL` says otherwise. */
  readonly baseUrl: string | undefined
  readonly store: Store
  readonly seed: boolean
  readonly log: boolean
}

/** @throws Error saying which variable is wrong, and what would be right. */
export function settings(env: NodeJS.ProcessEnv): Settings {
  return {
    host: env.HOST ?? '127.0.0.1',
    port: portOf(env.PORT ?? '3000'),
    baseUrl: addressOf(env.PUBLIC_URL),
    store: storeAt(env.DATABASE_URL ?? 'sqlite:.data/bookstore.db'),
    seed: env.SEED !== '0',
    log: env.LOG !== 'silent',
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new Error(`PORT is a number from 0 to 65535, where 0 picks a free one; '${text}' is not.`)
}

function addressOf(text: string | undefined): string | undefined {
  if (text === undefined || /^https?:\/\/[^/?#\s]+$/.test(text)) return text
  throw new Error(
    `PUBLIC_URL is an http or https address without a path, such as 'https://books.example'; '${text}' is not.`,
  )
}

function storeAt(url: string): Store {
  if (url === 'memory:') return memory()
  if (url.startsWith('sqlite:')) return sqlite(url.slice('sqlite:'.length))
  throw new Error(`DATABASE_URL is 'memory:' or 'sqlite:<file>'; '${url}' is neither.`)
}
