import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { check } from './check.ts'
import { readDocument } from './open-services.ts'
import { createServiceClient } from './service-client.ts'
import { thingsDocument } from './things-document.testing.ts'

async function served(listener: RequestListener): Promise<URL> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

/** Sends pieces until the client leaves. */
function endlessly(response: ServerResponse, piece: string, pauseMs: number): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(piece), pauseMs)
  response.on('close', () => clearInterval(timer))
}

describe('reading a document', () => {
  const limits = { timeoutMs: 300, maxDocumentBytes: 100_000 }

  it('ends where the document does not', async () => {
    const flood = await served((_, response) => endlessly(response, ' '.repeat(50_000), 1))
    await expect(readDocument(flood, {}, { ...limits, timeoutMs: 10_000 })).rejects.toThrow(
      `The document at ${flood} has more than 100 000 bytes. Allow more with --max-document-bytes.`,
    )
    const drip = await served((_, response) => endlessly(response, ' ', 20))
    await expect(readDocument(drip, {}, limits)).rejects.toThrow(
      `${drip} sent no complete document within 300 ms.`,
    )
  })

  it('ends where redirects do not', async () => {
    const loop = await served((_, response) => {
      setTimeout(() => response.writeHead(302, { location: '/again' }).end(), 50)
    })
    await expect(readDocument(loop, {}, limits)).rejects.toThrow(
      `${loop} sent no complete document within 300 ms.`,
    )
  })
})

describe('a request of a check', () => {
  const options = { timeoutMs: 300, maxResponseBytes: 100_000, headers: {} }
  const get = { method: 'GET', requestTarget: '/things?a=b', headers: {} }

  it('ends where the response does not', async () => {
    const flood = await served((_, response) => endlessly(response, ' '.repeat(50_000), 1))
    const patient = createServiceClient(flood, { ...options, timeoutMs: 10_000 })
    await expect(patient.send(get)).rejects.toThrow(
      'The response to GET /things?a=b has more than 100 000 bytes.',
    )
    const drip = await served((_, response) => endlessly(response, ' ', 20))
    await expect(createServiceClient(drip, options).send(get)).rejects.toThrow(
      'No complete response to GET /things?a=b within 300 ms.',
    )
  })

  it('is sent again if it is safe and the connection fails', async () => {
    let count = 0
    const base = await served((request, response) => {
      if (++count === 1) request.socket.destroy()
      else response.writeHead(204).end()
    })
    expect((await createServiceClient(base, options).send(get)).status).toBe(204)
  })

  it('is named where the connection fails, with what else is known of the service', async () => {
    const post = { method: 'POST', requestTarget: '/things', headers: {}, body: '{}' }
    let posts = 0
    const base = await served((request, response) => {
      if (request.method === 'POST') {
        posts++
        request.socket.destroy()
      } else response.writeHead(204).end()
    })
    await expect(createServiceClient(base, options).send(post)).rejects.toThrow(
      'No response to POST /things: socket hang up. The service responds to other requests.',
    )
    expect(posts).toBe(1)
    const closed = createServiceClient(new URL('http://127.0.0.1:1'), options)
    await expect(closed.send(get)).rejects.toThrow(
      /^No response to GET \/things\?a=b: connect ECONNREFUSED .*The service responds to no other request either\.$/,
    )
  })

  it('uses no connection that was idle for long', async () => {
    const ports = new Set<number | undefined>()
    const base = await served((request, response) => {
      ports.add(request.socket.remotePort)
      response.writeHead(204).end()
    })
    const client = createServiceClient(base, options)
    await client.send(get)
    await client.send(get)
    expect(ports.size).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await client.send(get)
    expect(ports.size).toBe(2)
  })
})

describe('a check', () => {
  const nested = (levels: number): object =>
    Array.from({ length: levels }).reduce<object>(
      (inner) => ({ type: 'object', required: ['a'], properties: { a: inner } }),
      { type: 'string' },
    )
  const chained = (levels: number) =>
    Object.fromEntries(
      Array.from({ length: levels }, (_, index): [string, object] => [
        `Link${index}`,
        index === levels - 1
          ? { type: 'string' }
          : {
              type: 'object',
              required: ['a'],
              properties: { a: { $ref: `#/components/schemas/Link${index + 1}` } },
            },
      ]),
    )
  const withSent = (schema: object, others: object = {}) => {
    const document = structuredClone(thingsDocument) as unknown as {
      components: { schemas: Record<string, object> }
    }
    Object.assign(document.components.schemas, { SentThing: schema }, others)
    return document
  }
  const messages = async (document: object) => {
    const base = await served((request, response) => {
      request.resume()
      response.writeHead(404).end()
    })
    const { findings } = await check(document, base, { runs: 2, seed: 1, only: ['postThings'] })
    return findings
      .filter(({ kind }) => kind === 'unusable-schema')
      .map(({ subject, message }) => `${subject}: ${message}`)
  }
  const place = '#/components/schemas/SentThing'
  const self = { $ref: place }

  it.each([
    [
      'that requires itself',
      { type: 'object', required: ['self'], properties: { self } },
      `${place}' requires itself, so no value fits it`,
    ],
    [
      'that requires itself in a list',
      {
        type: 'object',
        required: ['list'],
        properties: { list: { type: 'array', minItems: 1, items: { allOf: [self] } } },
      },
      "' requires itself, so no value fits it",
    ],
    [
      'with too many items',
      {
        type: 'object',
        required: ['many'],
        properties: { many: { type: 'array', minItems: 50_000_000, items: { type: 'string' } } },
      },
      `${place}/properties/many' requires more than 100 000 values or characters, which is the most that the check makes`,
    ],
    ['that is nested too deeply', nested(900), `is nested more than 200 levels deep`],
    [
      'whose keywords exclude each other',
      { type: 'string', pattern: '^a$', minLength: 5 },
      `${place}' admits no value that the check can make`,
    ],
    [
      'with bounds that exclude each other',
      { type: 'integer', minimum: 5, maximum: 1 },
      `${place}' admits no value that the check can make`,
    ],
    [
      'that is a choice of itself',
      { anyOf: [self, { type: 'null' }] },
      `${place}' admits no value that the check can make`,
    ],
  ])('names the place of a schema %s', async (_, schema, message) => {
    expect(await messages(withSent(schema))).toEqual([expect.stringContaining(message)])
  })

  it('names the place of a long chain of schemas', async () => {
    const links = chained(900)
    expect(await messages(withSent({ $ref: '#/components/schemas/Link0' }, links))).toEqual([
      expect.stringContaining('requires values with more than 100 levels'),
    ])
  })

  it('makes values of a schema that may contain itself', async () => {
    const node = {
      type: 'object',
      required: ['next'],
      properties: { next: { anyOf: [self, { type: 'null' }] }, name: { type: 'string' } },
    }
    expect(await messages(withSent(node))).toEqual([])
  })

  it('refuses a document that is nested without end', async () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as object
    await expect(
      check({ ...thingsDocument, 'x-deep': deep }, new URL('http://127.0.0.1:1')),
    ).rejects.toThrow('The document is nested more than 2000 levels deep.')
  })

  it('is not held by a pattern of the document', async () => {
    const document = structuredClone(thingsDocument) as unknown as {
      components: { schemas: { Thing: { properties: { name: object } } } }
    }
    document.components.schemas.Thing.properties.name = { type: 'string', pattern: '^(a+)+$' }
    const base = await served((request, response) => {
      request.resume()
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ things: [{ id: '1', name: `${'a'.repeat(50)}!` }] }))
    })
    const { findings } = await check(document, base, { runs: 2, seed: 1, only: ['getThings'] })
    expect(findings.map(({ kind, message }) => `${kind}: ${message}`)).toContain(
      "slow-pattern: The pattern '^(a+)+$' at '#/components/schemas/Thing/properties/name' takes more than 1000 ms for a text of 51 characters; expected a pattern whose time grows with the length of the text only.",
    )
  })

  it('reports responses that have no end, and goes on', async () => {
    const base = await served((_, response) => endlessly(response, ' '.repeat(50_000), 1))
    const { findings } = await check(thingsDocument, base, {
      runs: 1,
      seed: 1,
      only: ['getThings'],
      timeoutMs: 1_000,
      maxResponseBytes: 100_000,
    })
    expect(findings.map(({ kind }) => kind)).toContain('response-too-large')
  })
})
