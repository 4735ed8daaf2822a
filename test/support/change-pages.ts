import { type Client, type ClientResponse, client } from './client.ts'
import { transactionsEnded } from './stores.ts'

/** A page of changes. */
export interface ChangesPage {
  readonly changes: readonly Readonly<Record<string, unknown>>[]
  readonly next: string
  readonly isEnd: boolean
  readonly isTransactionSplit?: boolean
}

/** Reads once all that was written before can be seen. */
export function changesClient(...parameters: Parameters<typeof client>): Client {
  const api = client(...parameters)
  const get: Client['get'] = async (path, headers) => {
    await transactionsEnded()
    return api.get(path, headers)
  }
  return { ...api, get }
}

export function pageOf(response: ClientResponse): ChangesPage {
  return (response.at('/meta') ?? response.body) as ChangesPage
}
