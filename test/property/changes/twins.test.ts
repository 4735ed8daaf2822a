import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { as } from '../../support/access-world.ts'
import { atMostAtOnce } from '../../support/at-most-at-once.ts'
import { client } from '../../support/client.ts'
import { Article, Desk, type Newsroom, newsroom, Remark } from '../../support/newsroom.ts'
import { randomOf } from '../../support/random-of.ts'
import { stores, transactionsEnded } from '../../support/stores.ts'
import { clientsAtOnce, maxRunMs, rhythmAt } from './rhythm.ts'

/** Changes of each run; `npm run reliability:feed` is the long form. */
const changeCount = Number(process.env.CHANGES ?? 100)

const lists: readonly (readonly [path: string, filters: readonly string[]])[] = [
  ['articles', ['', 'filter[desk.name]=D1', 'filter[desk.isOpen]=true', 'fields[articles]=title']],
  ['desks', ['', 'filter[name]=D1', 'filter[articles]=a1']],
  ['remarks', ['', 'filter[article.desk.name]=D1', 'filter[article.words][gte]=20']],
]

/** Of two services that differ in what a caller does not see, both say the same to this caller. */
describe.each(stores)('A feed beside hidden changes ($name)', ({ make }) => {
  it(
    'is the feed without them',
    async () => {
      const twins = [newsroom(await make(), rest()), newsroom(await make(), rest())] as const
      for (const twin of twins) await begin(twin)
      const follows = lists.flatMap(([path, filters]) =>
        ['ann', undefined].flatMap((caller) =>
          filters.map((filter) => ({ path, caller, filter, limit: 1 + (filter.length % 4) })),
        ),
      )
      const readers = follows.map((each) => twins.map((twin) => new Reader(twin, each)))
      const random = randomOf(1_815)
      const hidden = randomOf(1_818)
      let seen = 0
      const compare = async (number: number, pageFactor: number) => {
        const [pages, others] = await Promise.all(
          readers[number]!.map((reader) => reader.read(pageFactor)),
        )
        expect(others, JSON.stringify(follows[number])).toBe(pages)
        seen += pages!.length
      }
      for (const index of readers.keys()) await compare(index, 1)
      for (let index = 0; index < changeCount; index++) {
        const values = [random(10), random(4), random(100), random(2)] as const
        for (const twin of twins) await changeVisibly(twin, values)
        for (let count = hidden(3); count > 0; count--) await changeHidden(twins[1], hidden)
        const { pauseFactor, pageFactor } = rhythmAt(index)
        const numbers = [...readers.keys()].filter(() => hidden(6 * pauseFactor) === 0)
        if (numbers.length === 0) continue
        // What is read of the log depends on the transactions of others.
        await transactionsEnded()
        await atMostAtOnce(clientsAtOnce, numbers, (number) => compare(number, pageFactor))
      }
      expect(seen).toBeGreaterThan(1_000)
      for (const { router } of twins) await router.close()
    },
    maxRunMs(changeCount),
  )
})

interface Follows {
  readonly path: string
  readonly caller: string | undefined
  readonly filter: string
  readonly limit: number
}

class Reader {
  readonly #twin: Newsroom
  readonly #follows: Follows
  #next: string | undefined

  constructor(twin: Newsroom, follows: Follows) {
    this.#twin = twin
    this.#follows = follows
  }

  /**
   * All pages until the end, without positions and hashes.
   * @param pageFactor how many times as many changes a page has
   */
  async read(pageFactor: number): Promise<string> {
    const { path, caller, filter, limit } = this.#follows
    const pages: unknown[] = []
    for (let isEnd = false; !isEnd; ) {
      const since = this.#next === undefined ? '' : `&since=${this.#next}`
      const { router } = this.#twin
      const response = await client(router).get(
        `/${path}/changes?${filter}&limit=${limit * pageFactor}${since}`,
        as(caller),
      )
      const { next, ...page } = response.body as { readonly next: string; readonly isEnd: boolean }
      if (response.status !== 200) throw new Error(response.text)
      this.#next = next
      isEnd = page.isEnd
      pages.push(page)
    }
    // Each service has a secret of its own for hashes of what a caller sees.
    return JSON.stringify(pages).replaceAll(/"hash":"[^"]*"/g, '"hash":""')
  }
}

const closed = { isOpen: false }

/** Desks `d…` may be open and `c…` never are; ann sees no article `h…`, which is a draft of bob. */
async function begin({ router }: Newsroom) {
  for (const id of ['d0', 'd1', 'd2']) await router.items(Desk).create({ id, name: 'D1' })
  for (const id of ['c0', 'c1']) await router.items(Desk).create({ id, name: 'C', ...closed })
  await router.items(Article).create({ id: 'h0', title: 'H', words: 1, owner: 'bob', desk: 'd0' })
  await router.items(Article).create({ id: 'h1', title: 'H', words: 1, owner: 'bob', desk: 'c0' })
}

async function changeVisibly(
  { router }: Newsroom,
  [kind, number, words, side]: readonly [number, number, number, number],
) {
  const articles = router.items(Article)
  const id = `a${number}`
  const desk = [`d${number % 3}`, `c${side}`][(words + side) % 2]!
  const quiet = () => undefined
  switch (kind) {
    case 0:
      return void (await articles.delete(id).catch(quiet))
    case 1:
      return void (await router.items(Desk).update(`d${number % 3}`, { isOpen: side === 0 }))
    case 2:
      return void (await router.items(Desk).update(`d${number % 3}`, { name: `D${side}` }))
    case 3:
      return void (await router
        .items(Remark)
        .create({ id: `r${words}`, text: `R${side}`, article: id })
        .catch(quiet))
    case 4:
    case 5:
      return void (await articles.update(id, { desk }).catch(quiet))
    case 6:
      return void (await articles.update(id, { words }).catch(quiet))
    default: {
      const status = side === 0 ? ('ready' as const) : ('draft' as const)
      await articles
        .create({ id, title: 'T', words, owner: 'ann', desk, status })
        .catch(() => articles.update(id, { status }))
    }
  }
}

async function changeHidden({ router }: Newsroom, random: (below: number) => number) {
  const articles = router.items(Article)
  const [id, name, desk] = [
    `h${random(3)}`,
    `D${random(2)}`,
    [`d${random(3)}`, 'c0', 'c1'][random(3)]!,
  ]
  const quiet = () => undefined
  switch (random(7)) {
    case 0:
      return void (await articles.delete(id).catch(quiet))
    case 1:
      return void (await router.items(Desk).update(`c${random(2)}`, { name }))
    case 2:
      return void (await router
        .items(Desk)
        .create({ id: `c${2 + random(3)}`, name, ...closed })
        .catch(quiet))
    case 3:
      return void (await router
        .items(Desk)
        .delete(`c${2 + random(3)}`)
        .catch(quiet))
    case 4:
      return void (await router
        .items(Remark)
        .create({ id: `s${random(50)}`, text: name, article: id })
        .catch(quiet))
    case 5:
      return void (await articles.update(id, { words: random(100), desk }).catch(quiet))
    default:
      await articles
        .create({ id, title: name, words: random(100), owner: 'bob', desk })
        .catch(() => articles.update(id, { title: name }))
  }
}
