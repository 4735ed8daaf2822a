import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { startBookstore } from '../support/bookstore-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'bookstore-'))
const DATABASE_URL = `sqlite:${join(folder, 'bookstore.db')}`

afterAll(() => rmSync(folder, { recursive: true }))

describe('the bookstore as a process', () => {
  it('prints its address in the first line', async () => {
    const bookstore = await startBookstore({ DATABASE_URL: 'memory:', SEED: '0' })
    expect(bookstore.output().split('\n')[0]).toContain(bookstore.address)
    expect(await (await fetch(`${bookstore.address}/api/books`)).json()).toEqual({ books: [] })
    expect(await bookstore.stop()).toBe(0)
  })

  it('keeps written items over a restart', async () => {
    const first = await startBookstore({ DATABASE_URL })
    const created = await fetch(`${first.address}/api/genres`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ genre: { id: 'kept', name: 'Kept' } }),
    })
    expect(created.headers.get('location')).toBe(`${first.address}/api/genres/kept`)
    expect(await first.stop()).toBe(0)
    const second = await startBookstore({ DATABASE_URL })
    expect((await fetch(`${second.address}/api/genres/kept`)).status).toBe(200)
    expect(await second.stop()).toBe(0)
  })

  it('finishes a list in progress when it is told to end', async () => {
    const bookstore = await startBookstore({ DATABASE_URL })
    const { port } = new URL(bookstore.address)
    const socket = connect(Number(port), '127.0.0.1')
    const received: string[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk.toString('latin1')))
    socket.write('GET /api/books?include=author HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await new Promise((resolve) => socket.once('data', resolve))
    const ended = new Promise((resolve) => socket.once('close', resolve))
    expect(await bookstore.stop()).toBe(0)
    await ended
    expect(received.join('').endsWith('\r\n0\r\n\r\n')).toBe(true)
  })

  it('reports an invalid environment variable in one sentence', async () => {
    await expect(startBookstore({ PORT: 'abc' })).rejects.toThrow(
      /ended with 1:\nPORT must be a number from 0 to 65535[^\n]*\n$/,
    )
    await expect(startBookstore({ DATABASE_URL: 'x' })).rejects.toThrow(
      /ended with 1:\nDATABASE_URL must be[^\n]*\n$/,
    )
  })
})
