import { createRouter, model, type Policy } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { type Service, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { check, summarize } from './check.ts'

/** Changes the texts of the feed, as a service with a defect would. */
type Defect = (text: string) => string

async function checked(policy: Policy, runs: number, defect?: Defect) {
  const router = createRouter({ policy, store: memory(), changes: true })
  router.prepare(model('book', { title: z.string().min(1).max(20) }, { ids: 'either' }))
  router.prepare(model('author', { name: z.string().max(20) }))
  const service: Service = {
    basePath: router.basePath,
    respond: async (request) => {
      const response = await router.respond(request)
      const { body } = response
      if (!defect || !request.path.endsWith('/changes') || body.kind !== 'text') return response
      return { ...response, body: { ...body, text: defect(body.text) } }
    },
  }
  const server = await serve(service)
  onTestFinished(async () => {
    await server.close()
    await router.close()
  })
  const { findings } = await check(router.toOpenApi(), new URL(server.address), {
    runs,
    seed: 5,
    only: [
      'getBooks',
      'postBooks',
      'getBooksItemById',
      'patchBooksItemById',
      'deleteBooksItemById',
      'getChangesForBooks',
      'getChanges',
    ],
  })
  return findings
}

function withoutDeletions(text: string): string {
  const page = JSON.parse(text) as { readonly changes?: readonly { readonly kind: string }[] }
  const changes = page.changes?.filter(({ kind }) => kind !== 'delete')
  return JSON.stringify({ ...page, ...(changes && { changes }) })
}

describe('a check of changes', () => {
  it.each([rest, jsonApi])(
    'finds nothing wrong with a service that tells them: %o',
    async (policy) => {
      expect(await checked(policy(), 5)).toEqual([])
    },
    120_000,
  )

  it.each<[string, Defect]>([
    ['drops changes', (text) => text.replace(/"changes":\[.*\],"next"/s, '"changes":[],"next"')],
    ['has a wrong field', (text) => text.replaceAll(/"title":"/g, '"title":"x')],
    ['does not tell of deletions', withoutDeletions],
  ])(
    'finds a service that %s',
    async (_, defect) => {
      // Each run waits until changes that are missing cannot come any more.
      const findings = await checked(rest(), 2, defect)
      expect(Object.keys(summarize({ findings } as never))).toContain('changes-differ')
    },
    120_000,
  )
})
