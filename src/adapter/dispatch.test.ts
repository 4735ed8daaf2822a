import { expect, test } from 'vitest'
import { respond } from '../http/api-response.ts'
import { dispatcher } from './dispatch.ts'

const service = (basePath: string) => ({ basePath, respond: async () => respond(200) })

test('the longest base path on an edge of segments responds', () => {
  const [api, apiV2, jsonApi] = [service('/api'), service('/api/v2'), service('/json-api/')]
  const dispatch = dispatcher([api, apiV2, jsonApi], 'serve()')
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
    expect(dispatcher([all], 'serve()')('/anything')).toBe(all)
  }
})

test('services that would hide one another, or have no proper path, are refused', () => {
  expect(() => dispatcher([service('/api'), service('/api/')], 'serve()')).toThrow(
    "have the same base path '/api'",
  )
  expect(() => dispatcher([service('api')], 'serve()')).toThrow("'/api'")
})

test('what is no service is refused in a sentence', () => {
  for (const wrong of [null, {}, class Book {}, { basePath: '/api' }, 5])
    expect(() => dispatcher([wrong as never], 'serve()')).toThrow(
      /^A service must have a 'basePath' and a function 'respond'/,
    )
  expect(() => dispatcher([], 'serve()')).toThrow(
    'Expected at least one service in serve(), such as a router.',
  )
})
