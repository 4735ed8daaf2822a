import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRouter, file, type Middleware, model } from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { form, galleryService, png, policies, sha256 } from '../support/resources.ts'

const blobKey = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('3.5, path traversal: names never make paths', () => {
  const names = [
    '../../x.png',
    '/etc/passwd',
    'C:\\windows\\x.png',
    'CON',
    '..',
    '.',
    'a\\0b',
    '%2e%2e%2fx',
    '-rf',
    '~',
    'x'.repeat(3_000),
  ]

  it('of uploaded files are never file names on disk: only blob keys are', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'traversal-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const { send: ask } = await galleryService('REST', memory(), {
      blobs: fileBlobs(join(folder, 'blobs')),
    })
    const type = { 'content-type': 'multipart/form-data; boundary=x' }
    for (const [number, name] of names.entries()) {
      const set = await ask(
        'POST',
        '/api/paintings/p-1/photo',
        type,
        form('photo', png(number), name, 'image/png'),
      )
      expect([set.status, name]).toEqual([200, name])
      const fileName = set.at('/painting/photo/fileName')
      expect(String(fileName)).not.toMatch(/[/\\\0]|^\.+$/)
    }
    expect(readdirSync(folder)).toEqual(['blobs'])
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    expect(files).toHaveLength(1)
    expect(files[0]!.name).toMatch(blobKey)
  })

  it.each(policies)(
    'of ids, fields and indexes under $policy reach no other file',
    async ({ policy }) => {
      const { send: ask, post, keys } = await galleryService(policy)
      await post('/api/paintings/p-1/photo', png(1))
      const [key] = await keys()
      const segments = [
        '..',
        '%2e%2e',
        '..%2f..%2fetc%2fpasswd',
        '%00',
        'C:%5c',
        key!,
        `..%2f${key}`,
        '*',
        '__proto__',
        'constructor',
      ]
      for (const segment of segments) {
        for (const path of [
          `${segment}/photo`,
          `p-1/${segment}`,
          `p-1/photo/${segment}`,
          `p-1/views/${segment}/scan`,
          `p-1/photo/png/${segment}`,
        ])
          for (const method of ['GET', 'POST', 'DELETE']) {
            const { status } = await ask(
              method,
              `/api/paintings/${path}`,
              { 'content-type': 'image/png' },
              method === 'POST' ? png(2) : undefined,
            )
            expect([400, 404, 405], `${method} ${path}`).toContain(status)
          }
      }
      expect(await keys()).toEqual([key])
    },
  )
})

it('3.5, id collision: the same id and field in two collections are two resources', async () => {
  const blobs = memoryBlobs()
  const router = createRouter({ policy: rest(), store: memory(), blobs })
  const models = [
    model('contract', { name: z.string(), paper: file() }),
    model('invoice', { name: z.string(), paper: file() }),
  ]
  for (const model of models) {
    router.prepare(model)
  }
  for (const model of models) await router.load(model, [{ id: '1', name: 'x' }])
  const sendRequest = (method: string, path: string, body?: string) =>
    router.handle(
      new Request(`http://h${path}`, {
        method,
        ...(body && { body, headers: { 'content-type': 'text/plain' } }),
      }),
    )
  await sendRequest('POST', '/contracts/1/paper', 'secret contract')
  expect((await sendRequest('GET', '/invoices/1/paper')).status).toBe(404)
  await sendRequest('POST', '/invoices/1/paper', 'invoice')
  expect(await (await sendRequest('GET', '/contracts/1/paper')).text()).toBe('secret contract')
  await sendRequest('DELETE', '/invoices/1')
  expect(await (await sendRequest('GET', '/contracts/1/paper')).text()).toBe('secret contract')
})

describe.each(policies)('API1: an item of another user under $policy', ({ policy }) => {
  it('has binary resources that look like missing ones, in every operation of every rule', async () => {
    const owned: Middleware = {
      query: {
        getItem: (query, { request }) =>
          request.headers['x-user'] === 'owner' ? query : query.where('title').notEqual('Spring'),
      },
    }
    const {
      router,
      send: ask,
      post,
    } = await galleryService(policy, memory(), { middleware: owned })
    const owner = { 'x-user': 'owner' }
    for (const path of ['photo', 'views/0/scan', 'border/photo', 'papers'])
      expect((await post(`/api/paintings/p-1/${path}`, png(1), owner)).status).toBe(200)
    const tag = `"${sha256(png(1))}"`
    const rules = router.rules.filter(({ target }) => target.kind === 'resource')
    expect(rules.length).toBeGreaterThan(15)
    for (const { method, path } of rules) {
      for (const headers of [
        {},
        { 'if-match': tag },
        { 'if-none-match': tag },
        { range: 'bytes=0-1' },
        { cookie: 'a=b' },
      ]) {
        const pathOf = (id: string) => `/api${path.replace(':id', id).replace(':index', '0')}`
        const allHeaders = { 'content-type': 'application/octet-stream', ...headers }
        const body = method === 'POST' ? png(2) : undefined
        const [foreign, absent] = [
          await ask(method, pathOf('p-1'), allHeaders, body),
          await ask(method, pathOf('p-0'), allHeaders, body),
        ]
        expect([foreign.status, `${foreign.bytes}`], `${method} ${path}`).toEqual([
          404,
          `${absent.bytes}`.replaceAll('p-0', 'p-1'),
        ])
        expect([...foreign.headers.keys()]).toEqual([...absent.headers.keys()])
      }
    }
    expect((await ask('GET', '/api/paintings/p-1/photo', owner)).bytes).toEqual(Buffer.from(png(1)))
  })

  it('never reveals its blob keys in a response', async () => {
    const reported: unknown[] = []
    const {
      send: ask,
      get,
      post,
      keys,
      write,
    } = await galleryService(policy, memory(), {
      onError: (error) => reported.push(error),
    })
    await post('/api/paintings/p-1/photo', png(1))
    await post('/api/paintings/p-1/views/0/scan', png(2))
    const blobKeys = await keys()
    const responses = [
      await get('/api/paintings'),
      await get('/api/paintings/p-1'),
      await get('/api/paintings?page[size]=1&withCount=true'),
      await get('/api/galleries?include=paintings'),
      await get('/api/paintings/p-1/photo'),
      await ask('HEAD', '/api/paintings/p-1/photo'),
      await post('/api/paintings/p-1/photo', png(3), { 'if-match': '"x"' }),
      await write('PATCH', 'p-1', { views: [{ caption: 'x', scan: 'y' }] }),
      await write('PATCH', 'p-1', { title: 'x' }),
    ]
    for (const { bytes, headers } of responses)
      for (const key of blobKeys)
        expect(`${bytes}${JSON.stringify([...headers])}`).not.toContain(key)
    expect(reported).toEqual([])
  })
})
