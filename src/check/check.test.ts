import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { check, summary } from './check.ts'
import { curl } from './curl.ts'

/** How the little service below goes wrong. */
type Defect =
  | 'none'
  | 'undocumented status'
  | 'wrong body'
  | 'wrong media type'
  | 'missing header'
  | 'crash'
  | 'stack trace'
  | 'takes anything'
  | 'refuses what fits'
  | 'answers any method'
  | 'forgets Allow'
  | 'forgets what it created'
  | 'keeps what it deleted'
  | 'HEAD with another tag'
  | 'new tag each time'
  | 'ignores If-Match'
  | 'body with 204'
  | 'loses updates'
  | 'creates twice'
  | 'brings back what it deleted'
  | 'takes two hosts'
  | 'takes broken framing'
  | 'stumbles over absolute targets'
  | 'reads the first piece of a body'
  | 'fails at odd addresses'
  | 'leads odd addresses elsewhere'
  | 'slow'
  | 'silent'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

describe('a contract check', () => {
  it('finds nothing wrong with a service that does as it says', async () => {
    const report = await checked('none')
    expect(report.findings).toEqual([])
    expect(report.requests).toBeGreaterThan(100)
  })

  const canaries: readonly (readonly [Defect, string])[] = [
    ['undocumented status', 'undocumented-status'],
    ['wrong body', 'body-differs'],
    ['wrong media type', 'undocumented-media-type'],
    ['missing header', 'missing-header'],
    ['crash', 'server-error'],
    ['stack trace', 'leak'],
    ['takes anything', 'wrong-request-accepted'],
    ['refuses what fits', 'right-request-refused'],
    ['answers any method', 'method-not-refused'],
    ['forgets Allow', 'allow-differs'],
    ['forgets what it created', 'created-not-readable'],
    ['keeps what it deleted', 'deleted-still-there'],
    ['HEAD with another tag', 'head-differs'],
    ['new tag each time', 'tag-differs'],
    ['ignores If-Match', 'stale-write-accepted'],
    ['body with 204', 'no-answer'],
    ['loses updates', 'lost-update'],
    ['creates twice', 'created-twice'],
    ['brings back what it deleted', 'deleted-still-there'],
    ['takes two hosts', 'framing-accepted'],
    ['takes broken framing', 'framing-accepted'],
    ['stumbles over absolute targets', 'transport-differs'],
    ['reads the first piece of a body', 'transport-differs'],
    ['fails at odd addresses', 'server-error'],
    ['leads odd addresses elsewhere', 'transport-differs'],
    ['slow', 'too-slow'],
    ['silent', 'no-answer'],
  ]
  it.each(canaries)('finds a service with the defect «%s»', async (defect, kind) => {
    expect(Object.keys(summary(await checked(defect)))).toContain(kind)
  })

  it('makes what it found small, and shows it as a line for a shell', async () => {
    const base = await started('takes anything')
    const { findings } = await check(document, base, { runs: 60, seed: 3 })
    const [finding] = findings.filter((one) => one.kind === 'wrong-request-accepted')
    const line = curl(base, finding!.sending)
    expect(line).toMatch(/^curl -i --path-as-is -X (POST|PATCH) 'http:\/\/127\.0\.0\.1:\d+\/things/)
    expect(line.length).toBeLessThan(300)
  })

  it('shows what no client would send as a line for a shell, too', async () => {
    const base = await started('takes two hosts')
    const { findings } = await check(document, base, { runs: 5, seed: 3 })
    const [finding] = findings.filter((one) => one.kind === 'framing-accepted')
    expect(curl(base, finding!.sending)).toBe(
      `printf 'GET /things HTTP/1.1\\015\\012host: ${base.host}\\015\\012host: other.example\\015\\012connection: close\\015\\012\\015\\012' | nc 127.0.0.1 ${base.port}`,
    )
  })

  it('sends the same requests for the same seed', async () => {
    const [one, other] = [await checked('wrong body'), await checked('wrong body')]
    expect(one.findings.map(({ sending }) => sending.target)).toEqual(
      other.findings.map(({ sending }) => sending.target),
    )
  })

  it('refuses a document with a schema that cannot be compiled', async () => {
    const broken = structuredClone(document) as { components: { schemas: { Thing: object } } }
    broken.components.schemas.Thing = { type: 'nonsense' }
    await expect(check(broken, new URL('http://127.0.0.1:1'))).rejects.toThrow(/type/)
  })

  it('refuses a document whose schemas are of another kind', async () => {
    await expect(check({ ...document, openapi: '3.0.4' }, new URL('http://127.0.0.1:1'))).rejects.toThrow('3.1 or 3.2')
  })
})

async function checked(defect: Defect) {
  return check(document, await started(defect), { runs: 60, seed: 3, timeout: defect === 'slow' ? 100 : 2_000 })
}

async function started(defect: Defect): Promise<URL> {
  const server = createServer(service(defect))
  if (defect === 'takes broken framing')
    server.on('clientError', (_, socket) => socket.end('HTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n'))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

/** Things that have a name, by hand, with one defect. */
function service(defect: Defect) {
  const things = new Map<string, { id: string; name: string }>([['1', { id: '1', name: 'first' }]])
  const gone = new Set<string>()
  let made = 1
  let tags = 0
  const tagOf = (thing: object) =>
    defect === 'new tag each time' ? `"${tags++}"` : `"${Buffer.from(JSON.stringify(thing)).toString('base64url')}"`
  const answer = (response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}) => {
    const type = defect === 'wrong media type' ? 'application/xml' : 'application/json'
    response.writeHead(status, { ...headers, ...(body !== undefined && { 'content-type': type }) })
    response.end(body === undefined ? undefined : JSON.stringify(body))
  }
  const problem = (response: ServerResponse, status: number, headers?: Record<string, string>) =>
    answer(response, status, { title: defect === 'stack trace' ? 'at run (file:///srv/app.js:1:1)' : 'No.' }, headers)

  return async (request: IncomingMessage, response: ServerResponse) => {
    const chunks = await received(request)
    if (!chunks) return response.destroy()
    if (defect === 'reads the first piece of a body') chunks.splice(1)
    const { method = '', headers, rawHeaders } = request
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
    if (hosts.length > 1 && defect !== 'takes two hosts') return problem(response, 400)
    if (defect === 'silent' && method === 'DELETE') return request.socket.destroy()
    if (defect === 'slow') await setTimeout(method === 'PATCH' ? 200 : 0)
    const address = request.url ?? ''
    if (address.startsWith('//') && defect === 'fails at odd addresses') return problem(response, 500)
    if (address.startsWith('//') && defect === 'leads odd addresses elsewhere') return answer(response, 204)
    const isAbsolute = address.startsWith('http') && defect !== 'stumbles over absolute targets'
    const [, , segment] = (isAbsolute ? new URL(address).pathname : address).split('?')[0]!.split('/')
    const id = segment === undefined ? undefined : safely(() => decodeURIComponent(segment))
    const allowed =
      segment === undefined ? ['GET', 'HEAD', 'POST', 'OPTIONS'] : ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']
    if (!allowed.includes(method) && defect !== 'answers any method')
      return problem(response, 405, { allow: defect === 'forgets Allow' ? 'GET' : allowed.join(', ') })
    if (segment === undefined && method !== 'POST') return answer(response, 200, { things: [...things.values()] })
    const sent = method === 'POST' || method === 'PATCH' ? read(Buffer.concat(chunks), defect) : undefined
    if (method === 'POST' || method === 'PATCH') {
      if (!/^application\/json\b/.test(headers['content-type'] ?? '') || headers['content-encoding'])
        return problem(response, 415)
      if (!sent || defect === 'refuses what fits') return problem(response, 422)
    }
    if (defect === 'crash' && sent && sent.name.length > 3) return problem(response, 500)
    if (segment === undefined) {
      const id = defect === 'creates twice' ? encodeURIComponent(Buffer.from(sent!.name).toString()) : String(++made)
      const thing = { id, name: sent!.name }
      if (defect !== 'forgets what it created') things.set(thing.id, thing)
      return answer(response, defect === 'undocumented status' ? 202 : 201, thing, { location: `/things/${thing.id}` })
    }
    const thing = id === undefined ? undefined : things.get(id)
    if (!thing || (gone.has(thing.id) && defect !== 'keeps what it deleted')) return problem(response, 404)
    if (method === 'DELETE') {
      gone.add(thing.id)
      return answer(response, 204)
    }
    const ifMatch = headers['if-match']
    if (method === 'PATCH') {
      if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== tagOf(thing) && defect !== 'ignores If-Match')
        return problem(response, 412)
      const bringsBack = defect === 'brings back what it deleted' && ifMatch === undefined
      if (defect === 'loses updates' || bringsBack) await setTimeout(5)
      thing.name = sent!.name
      if (bringsBack) gone.delete(thing.id)
    }
    const etag = tagOf(thing)
    const isHead = method === 'HEAD'
    const tagged: Record<string, string> = { etag: isHead && defect === 'HEAD with another tag' ? '"another"' : etag }
    if (method === 'GET' && headers['if-none-match'] === etag) {
      if (defect !== 'body with 204') return answer(response, 304, undefined, tagged)
      // node:http sends no body with this status, so it is written by hand.
      return request.socket.end('HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\n{}')
    }
    answer(
      response,
      200,
      defect === 'wrong body' ? { ...thing, name: 7 } : thing,
      defect === 'missing header' ? {} : tagged,
    )
  }
}

/** The pieces of a body; undefined where it ended early. */
async function received(request: IncomingMessage): Promise<Buffer[] | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
    return chunks
  } catch {
    return undefined
  }
}

function read(body: Buffer, defect: Defect): { name: string } | undefined {
  const value = safely(() => JSON.parse(body.toString()))
  if (defect === 'takes anything') return { name: String(value?.name ?? 'none') }
  const fits =
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).join() === 'name' &&
    typeof value.name === 'string'
  return fits && value.name !== '' && [...value.name].length <= 20 ? value : undefined
}

function safely<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

const json = (schema: object) => ({ 'application/json': { schema } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const refusal = { description: 'No', content: json(ref('Problem')) }
const refusals = (...statuses: readonly number[]) => Object.fromEntries(statuses.map((status) => [status, refusal]))
const sentThing = { required: true, content: json(ref('SentThing')) }
const etag = { etag: { required: true, schema: { type: 'string', pattern: '^".*"$' } } }
const oneThing = { description: 'The thing', headers: etag, content: json(ref('Thing')) }

const document = {
  openapi: '3.1.2',
  info: { title: 'Things', version: '1' },
  paths: {
    '/things': {
      get: {
        operationId: 'getThings',
        responses: {
          200: {
            description: 'All',
            content: json({
              type: 'object',
              required: ['things'],
              properties: { things: { type: 'array', items: ref('Thing') } },
            }),
          },
        },
      },
      post: {
        operationId: 'postThings',
        requestBody: sentThing,
        responses: { 201: { description: 'Made', content: json(ref('Thing')) }, ...refusals(415, 422) },
      },
    },
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getThing',
        responses: { 200: oneThing, 304: { description: 'As it was' }, ...refusals(404) },
      },
      patch: {
        operationId: 'patchThing',
        requestBody: sentThing,
        responses: { 200: oneThing, ...refusals(404, 412, 415, 422) },
      },
      delete: { operationId: 'deleteThing', responses: { 204: { description: 'Gone' }, ...refusals(404) } },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['id', 'name'],
        properties: { id: { type: 'string' }, name: { type: 'string' } },
      },
      SentThing: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { name: { type: 'string', minLength: 1, maxLength: 20 } },
      },
      Problem: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
    },
  },
}
