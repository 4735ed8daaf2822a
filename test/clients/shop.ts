import { afterAll, beforeAll } from 'vitest'
import { type RunningBookstore, startBookstore } from '../support/bookstore-process.ts'

/** One resource as the service stores it. */
interface ShopState {
  readonly id: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships: Readonly<Record<string, { readonly data?: unknown }>>
}

/** The bookstore in a process of its own, for the client tests of one file. */
export interface Shop {
  /** The JSON:API mount, for example `http://127.0.0.1:40123/json-api`. */
  readonly url: string
  /** The origin without a path. */
  readonly host: string
  /** The stored resource, read without the client; undefined when it does not exist. */
  book(id: string): Promise<ShopState | undefined>
  /** The ids of a to-many relation. */
  genresOf(id: string): Promise<readonly string[]>
}

/** Opens the bookstore before the tests of the file, and closes it after them. */
export function openShop(): Shop {
  let running: RunningBookstore
  beforeAll(async () => {
    running = await startBookstore({ DATABASE_URL: 'memory:' })
  })
  afterAll(() => running.stop())
  const book = async (id: string) => {
    const response = await fetch(`${running.address}/json-api/books/${id}`)
    return response.ok ? ((await response.json()) as { data: ShopState }).data : undefined
  }
  return {
    get host() {
      return running.address
    },
    get url() {
      return `${running.address}/json-api`
    },
    book,
    genresOf: async (id) => {
      const { genres } = (await book(id))!.relationships
      return (genres!.data as readonly { readonly id: string }[]).map((genre) => genre.id)
    },
  }
}
