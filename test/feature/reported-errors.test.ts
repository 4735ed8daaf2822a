import { createRouter, model, respond } from 'resourcery'
import { memory } from 'resourcery/memory'
import { type Service, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const Note = model('note', { title: z.string() })

async function* broken(): AsyncGenerator<string> {
  yield 'a'
  throw new Error('broken off')
}

async function served(onRouterError?: (error: unknown) => void) {
  const toHost: unknown[] = []
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store: memory(),
    ...(onRouterError && { onError: onRouterError }),
  })
  router.prepare(Note).use({
    request: {
      getList: () => ({ ...respond(200), body: { kind: 'stream', chunks: broken() } }),
      create: () => {
        throw new Error('of a hook')
      },
      delete_: () => respond(200, { 'x-wrong': 'a\nb' }),
    },
  })
  const ping: Service = {
    basePath: '/ping',
    respond: async () => {
      throw new Error('of a service')
    },
  }
  const pages = () => {
    throw new Error('of a page')
  }
  const server = await serve([router, ping], {
    onError: (error) => toHost.push(error),
    fallback: pages,
  })
  onTestFinished(() => server.close())
  const sendRequest = async (path: string, init?: RequestInit) =>
    fetch(server.address + path, init)
      .then(async (response) => [response.status, (await response.text()).length > 0])
      .catch(() => 'cut off')
  return { ask: sendRequest, toHost }
}

const message = (error: unknown) => (error as Error).message
const body = JSON.stringify({ note: { title: 'x' } })
const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body }

test('onError of a router gets all errors of its requests, before and while the responses are sent, and no others', async () => {
  const toRouter: unknown[] = []
  const { ask, toHost } = await served((error) => toRouter.push(error))
  expect(await ask('/api/notes')).toBe('cut off')
  expect(await ask('/api/notes', post)).toEqual([500, true])
  expect(await ask('/api/notes/1', { method: 'DELETE' })).toEqual([500, true])
  expect(await ask('/ping')).toEqual([500, true])
  expect(await ask('/')).toEqual([500, true])
  expect(toRouter.map(message)).toEqual([
    'broken off',
    'of a hook',
    expect.stringContaining('x-wrong'),
  ])
  expect(toHost.map(message)).toEqual(['of a service', 'of a page'])
})

test('onError of serve gets responses that are aborted, where the router has no onError', async () => {
  const { ask, toHost } = await served()
  expect(await ask('/api/notes')).toBe('cut off')
  expect(toHost.map(message)).toEqual(['broken off'])
})
