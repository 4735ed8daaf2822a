import { createRouter } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { expect, it } from 'vitest'
import { Gallery, Painting, png } from '../../../support/resources.ts'
import { client } from '../../support/document-client.ts'

async function gallery() {
  const router = createRouter({
    policy: jsonApi(),
    store: memory(),
    blobs: memoryBlobs(),
    basePath: '/api',
  })
  router.prepare(Gallery)
  router.prepare(Painting)
  await router.load(Gallery, [{ id: 'g', name: 'x' }])
  await router.load(Painting, [
    { id: 'p', title: 'x', views: [{ caption: 'a' }], gallery: 'g' },
    { id: 'q', title: 'y', views: [], gallery: 'g' },
  ])
  for (const path of ['photo', 'papers', 'views/0/scan'])
    await router.loadResource(
      Painting,
      { id: 'p', path: path },
      { bytes: png(1), contentType: 'image/png', fileName: 'ä "1".png' },
    )
  return { router, api: client(router) }
}

it('DS40, DS42, DS44: binary resources are links with a type and meta, null where there are none, in every document', async () => {
  const { api } = await gallery()
  for (const path of [
    '/api/paintings/p',
    '/api/paintings',
    '/api/paintings?page[size]=1',
    '/api/paintings?fields[paintings]=photo',
    '/api/galleries/g?include=paintings',
    '/api/galleries/g/paintings',
    '/api/paintings/p?include=gallery.paintings',
  ]) {
    const { status, text } = await api.get(path)
    expect([status, text.includes('"href":"/api/paintings/p/photo"'), path]).toEqual([
      200,
      true,
      path,
    ])
  }
})

it('DS29, FE1: the link leads to the bytes, and does not change with the item', async () => {
  const { router, api } = await gallery()
  const href = (await api.get('/api/paintings/p')).at('/data/links/photo/href') as string
  const bytes = await router.handle(new Request(`http://localhost${href}`))
  expect(Buffer.from(await bytes.arrayBuffer())).toEqual(Buffer.from(png(1)))
  const data = { type: 'paintings', id: 'p', attributes: { title: 'z' } }
  expect((await api.patch('/api/paintings/p', { data })).at('/data/links/photo/href')).toBe(href)
})

it('DS9: the response to an upload is the document of its item, with its self link', async () => {
  const { router, api } = await gallery()
  const body = new FormData()
  body.append('photo', new Blob([png(2)], { type: 'image/png' }), 'b.png')
  const request = new Request('http://localhost/api/paintings/p/photo?include=gallery', {
    method: 'POST',
    body,
  })
  const set = (await (await router.handle(request)).json()) as { links: { self: string } }
  expect(set).toEqual((await api.get(set.links.self)).document)
})

it('DS5, UP1: links in a request document are ignored', async () => {
  const { api } = await gallery()
  const before = await api.get('/api/paintings/p')
  const data = { type: 'paintings', id: 'p', links: { photo: null, self: 'x' } }
  expect((await api.patch('/api/paintings/p', { data })).text).toBe(before.text)
  const back = { data: before.one }
  expect((await api.patch('/api/paintings/p', back)).text).toBe(before.text)
})
