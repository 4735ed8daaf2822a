import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ApiRequest } from '../http/api-request.ts'
import { respond } from '../http/api-response.ts'
import { serve } from './node.ts'

test('the signal of a request is aborted when its client leaves before the response', async () => {
  const asked = withResolvers()
  const service = {
    basePath: '',
    respond: (request: ApiRequest) => {
      asked.resolve(request)
      return new Promise<never>(() => {})
    },
  }
  const server = await serve(service, { shutdownTimeoutMs: 0 })
  const socket = connect(server.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  const { signal } = await asked.promise
  expect(signal!.aborted).toBe(false)
  const aborted = once(signal!, 'abort')
  socket.destroy()
  await aborted
  expect(signal!.reason).toMatchObject({ name: 'AbortError' })
  await server.close()
})

test('the signal of a request tells that its client has left to whoever asks for it later', async () => {
  const asked = withResolvers()
  const service = {
    basePath: '',
    respond: (request: ApiRequest) => {
      asked.resolve(request)
      return new Promise<never>(() => {})
    },
  }
  const server = await serve(service, { shutdownTimeoutMs: 0 })
  const socket = connect(server.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  const request = await asked.promise
  expect(request.isAborted).toBe(false)
  socket.destroy()
  await setTimeout(50)
  expect(request.isAborted).toBe(true)
  expect(request.signal!.aborted).toBe(true)
  await server.close()
})

test('the signal of a request that got a response is not aborted', async () => {
  let signal: AbortSignal | undefined
  let answered: ApiRequest | undefined
  const service = {
    basePath: '',
    respond: async (request: ApiRequest) => {
      signal = request.signal
      answered = request
      return respond(200, {}, 'done')
    },
  }
  const server = await serve(service)
  expect(await (await fetch(server.address)).text()).toBe('done')
  await server.close()
  expect(answered!.isAborted).toBe(false)
  expect(signal!.aborted).toBe(false)
})

function withResolvers() {
  let resolve!: (request: ApiRequest) => void
  const promise = new Promise<ApiRequest>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
