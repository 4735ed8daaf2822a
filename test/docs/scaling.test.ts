import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { mixCost, ofCluster, ofMachine, ofProcess } from '../../scripts/scaling/capacity.mjs'
import { costSections } from '../../scripts/scaling/cost-sections.mjs'
import { pageWithScaling } from '../../scripts/scaling/document.mjs'
import { two } from '../../scripts/scaling/format.mjs'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const figures = JSON.parse(read('bench/figures/costs.json'))
const page = read('docs/guide/scaling.md')

it('the guide says what the figures of the bench and the formulas say', () => {
  expect(pageWithScaling(page, figures)).toBe(page)
})

it('other figures make other tables', () => {
  const others = structuredClone(figures)
  others.stores.postgres.operations.item.databaseUs = 12_345
  expect(costSections(others).join()).toMatch(/read an item \|.*\| 12 000 \|/)
})

it('a page without a place for the computed part is an error', () => {
  expect(() => pageWithScaling('# Scaling', figures)).toThrow('npm run scaling')
})

const free = {
  serviceUs: 0,
  mainThreadUs: 0,
  writerUs: 0,
  diskUs: 0,
  databaseUs: 0,
  walBytes: 0,
  writtenBytes: 0,
  commits: 0,
  perSecond: 0,
}
const mixOf = (operations: Record<string, Partial<typeof free>>, mix: Record<string, number>) =>
  mixCost(
    Object.fromEntries(
      Object.entries(operations).map(([name, cost]) => [name, { ...free, ...cost }]),
    ),
    mix,
  )

describe('What the formulas say', () => {
  it('a request of a mix costs the average of its operations', () => {
    const operations = { item: { databaseUs: 100 }, create: { databaseUs: 500, walBytes: 40 } }
    expect(mixOf(operations, { item: 30, create: 10 })).toMatchObject({
      databaseUs: 200,
      writeDatabaseUs: 125,
      walBytes: 10,
    })
  })

  it('a mix of what was not measured is an error', () => {
    expect(() => mixOf({}, { item: 1 })).toThrow("'item'")
  })

  it('a process is bound by its main thread and its waits for the disk', () => {
    const cost = mixOf(
      { create: { serviceUs: 900, mainThreadUs: 400, diskUs: 200 } },
      { create: 1 },
    )
    expect(ofProcess(cost)).toBeCloseTo(1_000)
  })

  it('a machine is bound by its processors, or by the writer', () => {
    const cost = mixOf({ create: { serviceUs: 250, diskUs: 50, writerUs: 60 } }, { create: 1 })
    expect(ofMachine(cost, 4)).toEqual({ perSecond: 8_000, limit: 'processors' })
    expect(ofMachine(cost, 8)).toEqual({ perSecond: 10_000, limit: 'writer' })
  })

  it('a machine with PostgreSQL on it does the work of both', () => {
    const cost = mixOf({ item: { serviceUs: 200, databaseUs: 100 } }, { item: 1 })
    expect(ofMachine(cost, 4)).toEqual({ perSecond: 8_000, limit: 'processors' })
  })

  it('replicas share the reads, and repeat the writes', () => {
    const operations = {
      item: { serviceUs: 100, databaseUs: 100 },
      create: { serviceUs: 100, databaseUs: 100 },
    }
    const reads = mixOf(operations, { item: 1 })
    const writes = mixOf(operations, { create: 1 })
    expect(ofCluster(reads, { cores: 8, replicas: 0 })).toEqual({ perSecond: 48_000, machines: 1 })
    expect(ofCluster(reads, { cores: 8, replicas: 2 })).toEqual({ perSecond: 144_000, machines: 3 })
    expect(ofCluster(writes, { cores: 8, replicas: 2 })).toEqual({ perSecond: 48_000, machines: 1 })
  })

  it.each([
    [12_345, '12 000'],
    [1_234_567, '1 200 000'],
    [98.76, '99'],
    [1.26, '1.3'],
    [0.5, '0.5'],
    [0.123, '0.12'],
    [0, '0'],
    [Number.NaN, '–'],
  ])('%d is printed as %s', (value, text) => {
    expect(two(value)).toBe(text)
  })
})
