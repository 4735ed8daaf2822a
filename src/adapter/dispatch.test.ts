import { expect, test } from 'vitest'
import { respond } from '../http/api-response.ts'
import { dispatcher } from './dispatch.ts'

const service = (basePath: string) => ({ basePath, respond: async () => respond(200) })

test('the longest base path on an edge of segments responds', () => {
  const [api, apiV2, jsonApi] = [service('/api'), service('/api/v2'), service('/json-api/')]
  const dispatch = dispatcher([api, apiV2, jsonApi])
  expect(dispatch('/api')).toBe(api)
  expect(dispatch('/api/')).toBe(api)
  expect(dispatch('/api/v2')).toBe(apiV2)
  expect(dispatch('/api/v2/books')).toBe(apiV2)
  expect(dispatch('/api/v22')).toBe(api)
  expect(dispatch('/json-api/books')).toBe(jsonApi)
  for (const path of ['/', '/apis', '/API', '/%61pi', '//api', '/json-apix'])
    expect(dispatch(path)).toBeUndefined()
})

test('an empty base path, or a slash, stands for every address', () => {
  for (const basePath of ['', '/']) {
    const all = service(basePath)
    expect(dispatcher([all])('/anything')).toBe(all)
  }
})
