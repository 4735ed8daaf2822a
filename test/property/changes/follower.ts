import type { Router } from 'resourcery'
import { as } from '../../support/access-world.ts'
import { client } from '../../support/client.ts'

/** What a client asks for. */
export interface Follows {
  readonly plural: string
  readonly caller: string | undefined
  /** A query string, without the question mark. */
  readonly filter: string
  readonly limit: number
}

interface PageOfChanges {
  readonly changes: readonly {
    readonly kind: string
    readonly id: string
    readonly item?: Readonly<Record<string, unknown>>
  }[]
  readonly next: string
  readonly isEnd: boolean
}

type Items = Map<string, Readonly<Record<string, unknown>>>

/** A client that reads the list once, and from then on only what changes. */
export class Follower {
  readonly #router: Router
  readonly #follows: Follows
  #items: Items = new Map()
  #position: string | undefined
  resets = 0
  changes = 0

  constructor(router: Router, follows: Follows) {
    this.#router = router
    this.#follows = follows
  }

  get items(): ReadonlyMap<string, unknown> {
    return this.#items
  }

  /** The list as it is now. */
  async read(): Promise<{ readonly items: Items; readonly position: string | null }> {
    const { plural, caller, filter } = this.#follows
    const response = await client(this.#router).get(`/${plural}?${filter}`, as(caller))
    if (response.status !== 200) throw new Error(response.text)
    const document = response.body as Readonly<Record<string, readonly { readonly id: string }[]>>
    const list = document[plural] ?? document.data ?? []
    return {
      items: new Map(list.map((item) => [item.id, item])) as Items,
      position: response.headers.get('changes-position'),
    }
  }

  /** @param pageFactor how many times as many changes a page has */
  async follow(pageFactor = 1): Promise<void> {
    if (this.#position === undefined) {
      const { items, position } = await this.read()
      if (position === null) throw new Error('The list has no position.')
      this.#items = items
      this.#position = position
    }
    for (let isEnd = false; !isEnd; ) {
      const page = await this.#page(pageFactor)
      isEnd = page.isEnd
      this.#position = page.next
      for (const { kind, id, item } of page.changes) {
        this.changes++
        if (kind === 'reset') {
          this.resets++
          this.#position = undefined
          return this.follow(pageFactor)
        }
        if (kind === 'delete') this.#items.delete(id)
        else this.#items.set(id, item!)
      }
    }
  }

  async #page(pageFactor: number): Promise<PageOfChanges> {
    const { plural, caller, filter, limit } = this.#follows
    const query = `${filter}&limit=${limit * pageFactor}&since=${this.#position}`
    const response = await client(this.#router).get(`/${plural}/changes?${query}`, as(caller))
    if (response.status !== 200) throw new Error(response.text)
    return (response.at('/meta') ?? response.body) as unknown as PageOfChanges
  }
}
