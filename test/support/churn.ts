import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { png } from './resources.ts'

/** Another client of the bookstore, which changes it all the time. */
export interface Churn {
  /**
   * Ends it, and says how often each kind of work was answered how. @throws what went wrong with
   * one of them
   */
  stop(): Promise<Readonly<Record<string, number>>>
}

/** Books of the bookstore's own data. Whoever checks it may delete them; then the answer is 404. */
const books = [
  'frankenstein',
  'dracula',
  'emma',
  'middlemarch',
  'the-last-man',
  'pride-and-prejudice',
  'candide',
]

const json = { 'content-type': 'application/json' }
const jsonApi = { 'content-type': 'application/vnd.api+json', accept: 'application/vnd.api+json' }

/**
 * Replaces covers while it reads them and their variants, deletes genres that books hold, and asks
 * for scans and pictures that it does not wait for. The genres are its own: their ids come last, so
 * that a check names none of them.
 */
export function startChurn(address: string): Churn {
  const outcomes = new Map<string, number>()
  let isOver = false

  const ask = async (work: string, path: string, init: RequestInit = {}): Promise<void> => {
    const answer = await fetch(address + path, init)
    await answer.arrayBuffer()
    const outcome = `${work} ${answer.status}`
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }

  const works: readonly ((turn: number) => Promise<void>)[] = [
    (turn) => replaceCover(ask, turn),
    (turn) => readCover(ask, turn),
    (turn) => readCover(ask, turn + 1),
    (turn) => readVariants(ask, turn),
    (turn) => deleteGenre(ask, turn),
    (turn) => abandon(address, turn),
  ]
  const loops = works.map(async (work) => {
    for (let turn = 0; !isOver; turn++) {
      await work(turn)
      await wait(5)
    }
  })
  return {
    stop: async () => {
      isOver = true
      await Promise.all(loops)
      return Object.fromEntries([...outcomes].sort())
    },
  }
}

type Ask = (work: string, path: string, init?: RequestInit) => Promise<void>

async function replaceCover(ask: Ask, turn: number): Promise<void> {
  const path = `/api/books/${books[turn % 2]}/cover`
  await ask('set cover', path, {
    method: 'POST',
    headers: { 'content-type': 'image/png' },
    body: png(turn, 20_000),
  })
  if (turn % 10 === 9) await ask('delete cover', path, { method: 'DELETE' })
}

async function readCover(ask: Ask, turn: number): Promise<void> {
  const path = `/api/books/${books[turn % 2]}/cover`
  await ask('get cover', path)
  await ask('get part of cover', path, { headers: { range: 'bytes=10-500' } })
  await ask('get variant', `${path}/${['png', 'jpeg', 'webp'][turn % 3]}/${[64, 128][turn % 2]}`)
}

async function readVariants(ask: Ask, turn: number): Promise<void> {
  const sizes = [64, 128, 256]
  await Promise.all(
    sizes.map((size) => ask('get variant', `/api/books/${books[turn % 2]}/cover/webp/${size}`)),
  )
}

async function deleteGenre(ask: Ask, turn: number): Promise<void> {
  const id = `zz-churn-${turn}`
  const linkage = JSON.stringify({ data: [{ type: 'genres', id }] })
  await ask('create genre', '/api/genres', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ genre: { id, name: 'Of the churn' } }),
  })
  for (const book of books) {
    const path = `/json-api/books/${book}/relationships/genres`
    await ask('relate genre', path, { method: 'POST', headers: jsonApi, body: linkage })
  }
  await ask('delete genre', `/api/genres/${id}`, { method: 'DELETE' })
}

const costly = [
  '/api/books?sort=-pages,stock&withCount=true&include=author.books,genres',
  `/api/reviews?filter%5Btext%5D%5Blike%5D=${encodeURIComponent(`${'%a'.repeat(8)}q`)}`,
  '/json-api/reviews?sort=text&include=book.author',
  '/api/books?filter%5Bauthor.name%5D%5Bcontains%5D=e&sort=author.name',
  '/api/books/frankenstein/cover/webp/256',
]

/** Asks for something that costs, and is gone before it comes, or while it does. */
function abandon(address: string, turn: number): Promise<void> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${costly[turn % costly.length]} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
      setTimeout(() => socket.destroy(), turn % 20)
    })
    socket.on('error', reject)
    socket.once('close', () => resolve())
  })
}
