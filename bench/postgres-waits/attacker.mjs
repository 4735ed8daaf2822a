// Sends what takes long, in a process of its own: hundreds of requests at once would keep the other
// client waiting in its own process.
//   node bench/postgres-waits/attacker.mjs <port> <url of the database>

import pg from 'pg'
import { clientOf } from '../harness/http-client.mjs'

const [port = '', url = ''] = process.argv.slice(2)
const client = clientOf(Number(port), '127.0.0.2')

const contains = (/** @type {number} */ count) =>
  Array.from({ length: count }, (_, index) => `contains(author.bio,'zq${index}')`).join(',')
const list = (/** @type {number} */ count) =>
  `/books?page[size]=1&withCount=true&filter=${encodeURIComponent(`or(${contains(count)})`)}`

/** @type {Record<string, () => Promise<{ status: number }[]>>} */
const attacks = {
  '10 lists of 45 contains': () =>
    Promise.all(Array.from({ length: 10 }, () => client('GET', list(45), undefined))),
  '300 lists of 5 contains': () =>
    Promise.all(Array.from({ length: 300 }, () => client('GET', list(5), undefined))),
  '20 changes of a locked row': async () => {
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    await other.query("begin; update authors set name = name where id = 'a5'")
    const changes = Array.from({ length: 20 }, (_, index) =>
      client('PATCH', '/authors/a5', { author: { name: `${index}` } }),
    )
    const outcomes = await Promise.all(changes)
    await other.end()
    return outcomes
  },
}

process.on('message', async (/** @type {string} */ name) => {
  const outcomes = await attacks[name]?.()
  process.send?.(outcomes?.map(({ status }) => ({ status })))
})
process.once('disconnect', () => process.exit(0))
process.send?.(Object.keys(attacks))
