import { PassThrough } from 'node:stream'
import { Connection } from 'pg'
import { describe, expect, it } from 'vitest'
import { MessageWriter } from './message-writer.ts'

/** A connection of `pg`, whose declared types are older than its code. */
interface PgConnection {
  parse(message: { readonly name: string; readonly text: string }): void
  bind(message: { readonly statement: string; readonly values: readonly unknown[] }): void
  execute(message: { readonly rows: number }): void
  close(message: { readonly type: 'S'; readonly name: string }): void
  sync(): void
}

/** The bytes that `pg` writes, message by message. */
function bytesOfPg(send: (connection: PgConnection) => void): Buffer {
  const stream = new PassThrough()
  send(new Connection({ stream } as never) as unknown as PgConnection)
  return stream.read()
}

describe('MessageWriter', () => {
  const writer = new MessageWriter()

  it('writes the bytes that pg writes', () => {
    const text = "select 'Zoë', $1, $2"
    const values = ['Zoë 🦊', '', 'x'.repeat(5_000), 'é'.repeat(5_000), null, Buffer.of(0, 255, 1)]
    writer.parse('a name', text)
    writer.bind('a name', values)
    writer.execute()
    writer.close('another')
    writer.sync()
    const expected = bytesOfPg((connection) => {
      connection.parse({ name: 'a name', text })
      connection.bind({ statement: 'a name', values })
      connection.execute({ rows: 0 })
      connection.close({ type: 'S', name: 'another' })
      connection.sync()
    })
    expect(writer.take().equals(expected)).toBe(true)
  })

  it('writes parameters that are no texts, and none', () => {
    writer.bind('', [1.5, true, 2n, ['a', 'b"c']])
    writer.bind('', [])
    const expected = bytesOfPg((connection) => {
      connection.bind({ statement: '', values: ['1.5', 'true', '2', '{"a","b\\"c"}'] })
      connection.bind({ statement: '', values: [] })
    })
    expect(writer.take().equals(expected)).toBe(true)
  })

  it('leaves what it has returned as it is, also of large messages', () => {
    for (const text of ['small', 'x'.repeat(100_000)]) {
      writer.parse('', text)
      const bytes = writer.take()
      const copy = Buffer.from(bytes)
      writer.parse('', 'y'.repeat(100))
      writer.take()
      expect(bytes.equals(copy)).toBe(true)
    }
  })

  it('refuses objects, and forgets what was cleared', () => {
    expect(() => writer.bind('', [{}])).toThrow(TypeError)
    writer.clear()
    writer.sync()
    expect(writer.take().equals(bytesOfPg((connection) => connection.sync()))).toBe(true)
  })
})
