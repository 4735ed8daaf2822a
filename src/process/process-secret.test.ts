import { expect, it } from 'vitest'
import { processSecret, routerSecret } from './process-secret.ts'

it('is one for the whole process', () => {
  expect(processSecret()).toBe(processSecret())
  expect(processSecret()).toHaveLength(64)
})

it('differs for routers with other base paths', () => {
  expect(routerSecret('/api')).toBe(routerSecret('/api'))
  expect(routerSecret('/api')).not.toBe(routerSecret('/other'))
  expect(routerSecret('')).not.toBe(processSecret())
})
