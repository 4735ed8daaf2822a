// Sends bodies with many items, in a process of its own.
//   node bench/long-work/sender.mjs <port>

import { request } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'

const port = Number(process.argv[2])
const authorization = 'Bearer bench'
const bytesAtOnce = 65_536

/**
 * @param {string} prefix of the ids
 * @param {number} count
 */
function* csv(prefix, count) {
  let text = 'id,title,isbn,price,copies\n'
  for (let index = 0; index < count; index++) {
    text += `${prefix}${index},The book of ${index},978-0-${index},${(index % 5_000) / 100},${index % 7}\n`
    if (text.length < bytesAtOnce) continue
    yield text
    text = ''
  }
  yield text
}

/**
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string>, body?: Iterable<string> }} options
 * @returns {Promise<{ status: number, location: string, text: string }>} with the last of the text
 */
const send = (path, { method = 'GET', headers = {}, body } = {}) =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        localAddress: '127.0.0.2',
        path,
        method,
        headers: { ...headers, authorization },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text = (text + chunk).slice(-10_000)
        })
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location ?? '',
            text,
          }),
        )
      },
    )
    sent.on('error', reject)
    Readable.from(body ?? []).pipe(sent)
  })

/**
 * @param {'lines' | 'job'} kind
 * @param {number} count
 */
async function importLines(kind, count) {
  const prefer = kind === 'job' ? 'respond-async' : 'return=minimal'
  const headers = { 'content-type': 'text/csv', prefer }
  const { status, location, text } = await send('/books', {
    method: 'POST',
    headers,
    body: csv(kind, count),
  })
  if (kind === 'lines' || status !== 202) return `${status} ${text.trim()}`
  for (;;) {
    const { job } = JSON.parse((await send(location)).text)
    if (job.endedAt !== null) return `${job.state} ${JSON.stringify(job.result)}`
    await wait(500)
  }
}

process.on('message', async ([kind, count]) => process.send?.(await importLines(kind, count)))
process.once('disconnect', () => process.exit(0))
process.send?.('ready')
