import type { Router } from 'resourcery'
import { as } from '../../support/access-world.ts'
import { client } from '../../support/client.ts'

interface PageOfChanges {
  readonly changes: readonly {
    readonly kind: string
    readonly type: string
    readonly id: string
    readonly item?: unknown
  }[]
  readonly next: string
  readonly isEnd: boolean
}

type Lists = Map<string, Map<string, unknown>>

/** A client that reads several lists once, and from then on only what changes in any of them. */
export class FeedFollower {
  readonly #router: Router
  readonly #plurals: readonly string[]
  readonly #caller: string | undefined
  #lists: Lists = new Map()
  #position: string | undefined
  changes = 0

  constructor(router: Router, plurals: readonly string[], caller: string | undefined) {
    this.#router = router
    this.#plurals = plurals
    this.#caller = caller
  }

  get items(): unknown {
    return plain(this.#lists)
  }

  /** The lists as they are now. */
  async read(): Promise<unknown> {
    return plain(await this.#read())
  }

  /** @param meanwhile done between the lists, while the client reads them */
  async begin(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    // Before the lists: what changes while they are read comes once more.
    const { next } = await this.#page(1)
    this.#lists = await this.#read(meanwhile)
    this.#position = next
  }

  /** @param pageFactor how many times as many changes a page has */
  async follow(pageFactor = 1): Promise<void> {
    for (let isEnd = false; !isEnd; ) {
      const page = await this.#page(pageFactor)
      isEnd = page.isEnd
      this.#position = page.next
      for (const { kind, type, id, item } of page.changes) {
        this.changes++
        if (kind === 'reset') {
          this.#position = undefined
          await this.begin()
          return this.follow(pageFactor)
        }
        const list = this.#lists.get(type)!
        if (kind === 'delete') list.delete(id)
        else list.set(id, item)
      }
    }
  }

  async #read(meanwhile: () => Promise<void> = async () => {}): Promise<Lists> {
    const lists: Lists = new Map()
    for (const plural of this.#plurals) {
      const response = await client(this.#router).get(`/${plural}`, as(this.#caller))
      if (response.status !== 200) throw new Error(response.text)
      const document = response.body as Readonly<Record<string, { readonly id: string }[]>>
      const list = document[plural] ?? document.data ?? []
      lists.set(plural, new Map(list.map((item) => [item.id, item])))
      await meanwhile()
    }
    return lists
  }

  async #page(pageFactor: number): Promise<PageOfChanges> {
    const since =
      this.#position === undefined ? '' : `&limit=${3 * pageFactor}&since=${this.#position}`
    const path = `/changes?models=${this.#plurals.join()}${since}`
    const response = await client(this.#router).get(path, as(this.#caller))
    if (response.status !== 200) throw new Error(response.text)
    return (response.at('/meta') ?? response.body) as unknown as PageOfChanges
  }
}

function plain(lists: Lists): unknown {
  return Object.fromEntries([...lists].map(([plural, list]) => [plural, Object.fromEntries(list)]))
}
