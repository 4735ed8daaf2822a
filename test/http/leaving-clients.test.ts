import { createRouter, file, model } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { type Server, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { eventually, rawClient } from '../../src/adapter/raw-client.testing.ts'

let server: Server | undefined

afterEach(async () => {
  await server?.close()
})

test('a client that leaves before its file is sent does not keep the file from being deleted', async () => {
  const Note = model('note', { text: z.string().optional(), scan: file() })
  const blobs = memoryBlobs()
  const router = createRouter({ policy: rest(), store: memory(), blobs })
  router.prepare(Note)
  await router.load(Note, [{ id: 'n-1' }])
  const loaded = { bytes: new Uint8Array(1_000_000), contentType: 'application/octet-stream' }
  await router.loadResource(Note, { id: 'n-1', path: 'scan' }, loaded)

  // The file is being read when the client leaves, and its response is not sent yet.
  let send: () => void = () => {}
  const sending = new Promise<void>((resolve) => {
    send = resolve
  })
  const answered = vi.fn()
  const service = {
    basePath: '',
    respond: async (request: Parameters<typeof router.respond>[0]) => {
      const response = await router.respond(request)
      answered()
      await sending
      return response
    },
  }
  server = await serve(service)
  const onAbort = vi.fn()
  server.node.once('connection', (socket) => socket.once('close', onAbort))
  const client = await rawClient(server.port)
  client.send('GET /notes/n-1/scan HTTP/1.1\r\nHost: localhost\r\n\r\n')
  expect(await eventually(() => answered.mock.calls.length === 1)).toBe(true)
  client.socket.destroy()
  expect(await eventually(() => onAbort.mock.calls.length === 1)).toBe(true)
  send()

  const deleted = await router.handle(
    new Request('http://localhost/notes/n-1', { method: 'DELETE' }),
  )
  expect(deleted.status).toBe(204)
  const listFiles = async () => {
    let count = 0
    for await (const _ of blobs.list()) count++
    return count
  }
  for (let tries = 0; tries < 100 && (await listFiles()) > 0; tries++)
    await new Promise((done) => setTimeout(done, 20))
  expect(await listFiles()).toBe(0)
})
