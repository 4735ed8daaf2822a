import fc from 'fast-check'
import { expect } from 'vitest'
import { expectErrorForm, expectErrors } from './expect-errors.ts'
import type { PolicySuite } from './harness.ts'

export function errors(suite: PolicySuite): void {
  suite.alone('sends errors of the catalog in its own form', async (service) => {
    const list = service.rule('GetList', 'books')
    const get = service.rule('GetItem', 'books')
    expectErrors(service, await service.send(get, { id: 'nothing' }), 404, ['not-found'])
    expectErrors(service, await service.send(list, { query: '?nothing=1' }), 400, [
      'unknown-parameter',
    ])
    expectErrors(service, await service.sendRaw('GET', '/nothing'), 404, ['not-found'])
    const wrongMethod = await service.sendRaw('PUT', list.path)
    expectErrors(service, wrongMethod, 405, ['method-not-allowed'])
    expect(wrongMethod.headers.allow).toMatch(/\bGET\b/)
    const accept = { accept: 'text/x-nothing' }
    expectErrors(service, await service.send(get, { id: 'dracula', headers: accept }), 406, [
      'not-acceptable',
    ])
  })

  suite.alone('refuses bodies that it cannot read', async (service) => {
    const create = service.rule('CreateItem', 'books')
    expectErrors(service, await service.send(create, { text: '{' }), 400, ['malformed-json'])
    const wrongType = { 'content-type': 'text/x-nothing' }
    expectErrors(service, await service.send(create, { text: 'x', headers: wrongType }), 415, [
      'unsupported-media-type',
    ])
  })

  suite.alone('names every problem of an item, or the first', async (service) => {
    const refused = await service.send(service.rule('CreateItem', 'books'), {
      document: service.itemDocument(
        'books',
        undefined,
        { title: '', price: -1 },
        { author: 'shelley', genres: [] },
      ),
    })
    const codes = service.opened.readErrorCodes(refused.document)
    expect(codes.length).toBeGreaterThan(0)
    expectErrors(
      service,
      refused,
      422,
      codes.map(() => 'invalid-member'),
    )
  })

  suite.alone(
    'refuses any other JSON without a server error, and changes nothing',
    async (service) => {
      const writes = service.rules.filter(
        ({ request, operation }) =>
          (request.kind === 'item' || request.kind === 'linkage') && operation !== 'CreateItem',
      )
      const list = service.rule('GetList', 'books')
      const before = (await service.send(list)).text
      const documents = fc.oneof(
        fc.constantFrom(
          null,
          0,
          '',
          'text',
          true,
          [],
          [[]],
          [null],
          { data: null },
          { book: null },
        ),
        fc.array(fc.jsonValue(), { minLength: 1 }),
        fc.dictionary(fc.constantFrom('__proto__', 'constructor', '', 'x y'), fc.jsonValue(), {
          minKeys: 1,
        }),
      )
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...writes), documents, async (rule, document) => {
          // No such item: a document that can be read is refused as well.
          const response = await service.send(rule, { id: 'nothing', document })
          expect(response.status).toBeGreaterThanOrEqual(400)
          expect(response.status).toBeLessThan(500)
          expectErrorForm(service, response)
        }),
        { numRuns: 200 },
      )
      expect((await service.send(list)).text).toBe(before)
    },
  )
}
