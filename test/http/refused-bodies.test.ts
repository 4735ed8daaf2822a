import type { Socket } from 'node:net'
import { createRouter, file, model, refuse } from 'resourcery'
import { basic } from 'resourcery/auth'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { type Server, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { eventually, rawClient } from '../../src/adapter/raw-client.testing.ts'
import { unfinishedBodyBytes } from '../../src/http/unfinished-bodies.ts'

let server: Server | undefined
afterEach(async () => {
  await server?.close()
})

const Note = model('note', { text: z.string(), scan: file() })
const Closed = model('secret', { text: z.string() })

const credentials = `Authorization: Basic ${Buffer.from('ada:right').toString('base64')}\r\n`
const wrong = `Authorization: Basic ${Buffer.from('ada:wrong').toString('base64')}\r\n`

describe.each([
  ['plain REST', rest(), 'application/json'],
  ['JSON:API', jsonApi(), 'application/vnd.api+json'],
])('A request that is refused before its body is needed, under %s', (_, policy, json) => {
  it.each([
    ['wrong credentials', 401, `POST /notes`, `${wrong}Content-Type: ${json}`],
    ['no credentials', 401, `POST /secrets`, `Content-Type: ${json}`],
    [
      'credentials that do not suffice',
      403,
      `POST /secrets`,
      `${credentials}Content-Type: ${json}`,
    ],
    ['an unknown path', 404, `POST /nothing`, `Content-Type: ${json}`],
    ['another method', 405, `PUT /notes`, `Content-Type: ${json}`],
    ['a type that it does not accept', 406, `POST /notes`, `Accept: a/b\r\nContent-Type: ${json}`],
    ['another type', 415, `POST /notes`, `Content-Type: a/b`],
    [
      'a page of another site',
      403,
      `POST /notes`,
      `Content-Type: ${json}\r\nOrigin: http://a.example`,
    ],
    ['an upload with wrong credentials', 401, `POST /notes/n/scan`, `${wrong}Content-Type: a/b`],
  ])('is answered before the body is there: %s', async (_, status, line, headers) => {
    const router = createRouter({
      policy,
      store: memory(),
      blobs: memoryBlobs(),
      security: {
        authentication: [basic({ users: { ada: 'right' }, caller: (id) => ({ id }) })],
        callerSchema: z.object({ id: z.string() }),
      },
      onError: () => undefined,
    })
    router.prepare(Note)
    router.prepare(Closed).use({
      request: {
        any: ({ caller }) => refuse(caller ? 'forbidden' : 'unauthorized', 'Not you.'),
      },
      declares: { errors: ['forbidden', 'unauthorized'] },
    })
    await router.load(Note, [{ id: 'n', text: 'N' }])
    server = await serve(router)
    const sockets: Socket[] = []
    server.node.on('connection', (socket) => sockets.push(socket))
    const client = await rawClient(server.port)
    const length = 200_000_000
    client.send(
      `${line} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\nContent-Length: ${length}\r\n\r\n[`,
    )
    const response = await client.readResponse()
    expect(response).toMatchObject({ status, isComplete: true })
    expect(unfinishedBodyBytes()).toBe(0)

    // The client goes on all the same: the server drops a little more, and closes.
    client.socket.on('error', () => undefined)
    const chunk = Buffer.alloc(1_000_000, 'x')
    for (let count = 0; count < 20; count++) client.socket.write(chunk)
    expect(await eventually(() => sockets[0]!.destroyed, 8_000)).toBe(true)
    expect(sockets[0]!.bytesRead).toBeLessThan(1_500_000)
    client.socket.destroy()
  })
})
