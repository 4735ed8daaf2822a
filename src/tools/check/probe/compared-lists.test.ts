import { type ApiRequest, createRouter, model, type Policy, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { type Service, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { check } from '../check.ts'
import { compileSchemas } from '../compiled-schemas.ts'
import { describedOperations } from '../described-operation.ts'
import {
  createServiceClient,
  defaultMaxResponseBytes,
  defaultTimeoutMs,
} from '../service-client.ts'
import { createVerifiedSend } from '../verified-send.ts'
import { compareLists } from './compared-lists.ts'

/** Makes of a request what a service with a defect would read, or of a response what it sends. */
interface Defect {
  readonly request?: (request: ApiRequest) => ApiRequest
  readonly response?: (text: string, request: ApiRequest) => string
}

const Author = model('author', { name: z.string() })
const Book = model(
  'book',
  {
    title: z.string().max(40),
    price: z.int(),
    weight: z.number(),
    tags: z.array(z.string()),
    soldOn: z.iso.date().nullish(),
    author: toOne('author', { optional: true }),
  },
  {
    aggregate: ['price', 'weight', 'tags', 'soldOn', 'author', 'author.name'],
    search: ['title', 'author.name'],
  },
)

async function served(policy: Policy, { request: read, response: write }: Defect) {
  const router = createRouter({ policy, store: memory() })
  router.prepare(Author)
  router.prepare(Book)
  await router.load(Author, [
    { id: 'ann', name: 'Ann' },
    { id: 'bob', name: 'Bob' },
  ])
  await router.load(
    Book,
    Array.from({ length: 30 }, (_, index) => ({
      title: `Book number ${index}`,
      price: index % 7,
      weight: index / 10,
      tags: index % 3 === 0 ? [] : index % 2 === 0 ? ['red', 'new'] : ['red'],
      soldOn: index % 5 === 0 ? null : `202${index % 4}-0${1 + (index % 6)}-01`,
      ...(index % 4 > 0 && { author: index % 2 === 0 ? 'ann' : 'bob' }),
    })),
  )
  const service: Service = {
    basePath: router.basePath,
    respond: async (request) => {
      const response = await router.respond(read ? read(request) : request)
      const { body } = response
      return write && body.kind === 'text'
        ? { ...response, body: { kind: 'text', text: write(body.text, request) } }
        : response
    },
  }
  const server = await serve(service)
  onTestFinished(async () => {
    await server.close()
    await router.close()
  })
  return { document: router.toOpenApi(), base: new URL(server.address) }
}

async function compared(policy: Policy, defect: Defect): Promise<readonly string[]> {
  const { document, base } = await served(policy, defect)
  const client = createServiceClient(base, {
    timeoutMs: defaultTimeoutMs,
    maxResponseBytes: defaultMaxResponseBytes,
    headers: {},
  })
  const send = createVerifiedSend(client, compileSchemas(document))
  const findings = await compareLists(document, describedOperations(document), send)
  return findings.map(({ kind, message }) => `${kind}: ${message}`)
}

const narrowed = (request: ApiRequest, isMeant: boolean): ApiRequest =>
  isMeant && request.method === 'GET'
    ? { ...request, query: `${request.query}&filter[price][lt]=6` }
    : request
const has = ({ query }: ApiRequest, part: string) => query.includes(part)
const isOfGroups = ({ path }: ApiRequest) => path.endsWith('/groups')

describe.each([
  ['REST', rest],
  ['JSON:API', jsonApi],
])('A check of groups, facets and highlights, under %s,', (_, policy) => {
  it('finds nothing wrong with a service that adds up its lists', async () => {
    expect(await compared(policy(), {})).toEqual([])
  })

  it('finds groups that leave items out', async () => {
    const findings = await compared(policy(), {
      request: (request) => narrowed(request, isOfGroups(request)),
    })
    expect(findings.join()).toMatch(
      /groups-differ: The groups by 'price' have 26 items; the list has 30/,
    )
  })

  it('finds a filter that finds other items than a group has', async () => {
    const findings = await compared(policy(), {
      request: (request) => narrowed(request, has(request, 'filter%5Bauthor%5D')),
    })
    expect(findings.join()).toMatch(/groups-differ: The group with the value .* of 'author' has/)
  })

  it('finds facets that are not the largest groups', async () => {
    const findings = await compared(policy(), {
      request: (request) => narrowed(request, has(request, 'withFacets')),
    })
    expect(findings.join()).toMatch(/facets-differ: The facets of '\w+' are/)
  })

  it('finds highlights without a match, or with another text', async () => {
    const highlights = (change: (text: string) => string): Defect => ({
      response: (text, request) => (has(request, 'withHighlights') ? change(text) : text),
    })
    const unmatched = highlights((text) => text.replaceAll('"isMatch":true', '"isMatch":false'))
    expect((await compared(policy(), unmatched)).join()).toMatch(
      /highlights-differ: .* has no match in 'title'/,
    )
    const hidden = highlights((text) => text.replace('"text":"Book"', '"text":"Nook"'))
    expect((await compared(policy(), hidden)).join()).toMatch(
      /highlights-differ: .* has the text "Nook number \d+" of 'title'/,
    )
  })
})

it('A check of a service compares groups too', async () => {
  const { document, base } = await served(rest(), {
    request: (request) => narrowed(request, isOfGroups(request)),
  })
  const only = ['getBooks', 'getGroupsForBooks']
  const { findings } = await check(document, base, { runs: 1, seed: 5, only })
  expect(findings.map(({ kind, subject }) => [kind, subject])).toContainEqual([
    'groups-differ',
    'getGroupsForBooks',
  ])
}, 120_000)
