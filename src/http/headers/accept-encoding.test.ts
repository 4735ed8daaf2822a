import { describe, expect, it } from 'vitest'
import { preferredCoding } from './accept-encoding.ts'

describe('The coding of a response', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['br;q=0, *', 'gzip'],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['deflate', undefined],
    ['gzip;q=x', undefined],
  ])('where %j is accepted, is %s', (header, coding) => {
    expect(preferredCoding(header)).toBe(coding)
  })
})
