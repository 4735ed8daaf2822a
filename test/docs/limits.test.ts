import { readFileSync } from 'node:fs'
import { createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { limitsDocument } from '../../scripts/limits-document.mjs'
import { maxReportedProblems } from '../../src/error/max-reported-problems.ts'
import { maxJsonDepth } from '../../src/http/json/find-json-problems.ts'
import { maxParameterName, maxParameters, maxQueryLength } from '../../src/http/query-string.ts'
import { maxIdLength } from '../../src/model/id.ts'
import { maxSearchLength } from '../../src/rule/parameter/filter-operators.ts'
import { client } from '../support/client.ts'

const load = (path: string): Promise<Record<string, unknown>> =>
  import(/* @vite-ignore */ new URL(`../../src/${path}.ts`, import.meta.url).href)

it('docs/limits.md lists the limits as they are in the code', async () => {
  expect(readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8')).toBe(
    await limitsDocument(load),
  )
})

it('a limit without a description is an error', async () => {
  const withNewLimit = async (path: string) => {
    const module = await load(path)
    return path === 'rule/router-limits'
      ? { ...module, defaultRouterLimits: { ...Object(module.defaultRouterLimits), newLimit: 1 } }
      : module
  }
  await expect(limitsDocument(withNewLimit)).rejects.toThrow('newLimit')
})

describe('Limits without an option have the values of the page', () => {
  const Note = model('note', { text: z.string(), json: z.unknown().optional() })
  const service = () => {
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(Note)
    return client(router)
  }
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

  it.each<[string, number, (size: number) => string]>([
    [
      'characters of a query string',
      maxQueryLength,
      (size) => `filter[text]=${'x'.repeat(size - 13)}`,
    ],
    ['parameters', maxParameters, (size) => Array.from({ length: size }, () => 'a=1').join('&')],
    ['characters of a name', maxParameterName, (size) => `${'x'.repeat(size)}=1`],
    [
      'characters to search for',
      maxSearchLength,
      (size) => `filter[text][contains]=${'x'.repeat(size)}`,
    ],
  ])('%s: %i', async (_, limit, query) => {
    const codes = async (size: number) =>
      (await service().get(`/notes?${query(size)}`)).errors.map(
        (fault) => `${fault.status} ${fault.code}`,
      )
    expect(await codes(limit)).not.toContain('400 limit-exceeded')
    expect(await codes(limit + 1)).toContain('400 limit-exceeded')
  })

  it.each<[string, number, (size: number) => string, string]>([
    // The document and the item in it are levels too.
    ['levels of a body', maxJsonDepth, (size) => nested(size - 2), '400 limit-exceeded'],
    [
      'characters of an id',
      maxIdLength,
      (size) => `1,"id":"${'x'.repeat(size)}"`,
      '422 invalid-id',
    ],
  ])('%s: %i', async (_, limit, json, refusal) => {
    const send = (size: number) =>
      service().post('/notes', `{"note":{"text":"","json":${json(size)}}}`)
    expect((await send(limit)).status).toBe(201)
    expect((await send(limit + 1)).errors.map((fault) => `${fault.status} ${fault.code}`)).toEqual([
      refusal,
    ])
  })

  it('problems in one response', async () => {
    const members = Array.from({ length: maxReportedProblems + 10 }, (_, index) => [`m${index}`, 1])
    const response = await service().post('/notes', { note: Object.fromEntries(members) })
    expect(response.errors).toHaveLength(maxReportedProblems)
  })
})
