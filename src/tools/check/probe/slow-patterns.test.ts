import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { check } from '../check.ts'

/**
 * A service in a thread of its own, which may hang. It refuses names that do not match the pattern.
 */
async function serviceOf(pattern: string) {
  const schema = {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: { name: { type: 'string', pattern }, note: { type: 'string' } },
  }
  const answer = { description: 'Any' }
  const document = {
    openapi: '3.1.2',
    info: { title: 'Names', version: '1' },
    paths: {
      '/names': {
        post: {
          operationId: 'postName',
          requestBody: { required: true, content: { 'application/json': { schema } } },
          responses: { 204: answer, 400: answer, 415: answer, 422: answer },
        },
      },
    },
  }
  const worker = new Worker(
    `
    const { workerData, parentPort } = require('node:worker_threads')
    const expression = new RegExp(workerData, 'u')
    const server = require('node:http').createServer(async (request, response) => {
      const chunks = []
      try {
        for await (const chunk of request) chunks.push(chunk)
      } catch {
        return response.destroy()
      }
      const end = (status) => response.writeHead(status, status === 405 ? { allow: 'POST, OPTIONS' } : {}).end()
      if (!/^\\/names(\\?|$)/.test(request.url) || request.method !== 'POST') return end(405)
      if (request.headers['content-type'] !== 'application/json') return end(415)
      let body
      try {
        body = JSON.parse(Buffer.concat(chunks).toString())
      } catch {
        return end(400)
      }
      const isRight = typeof body?.name === 'string' && expression.test(body.name)
      const { name, note, ...others } = body ?? {}
      const isNote = note === undefined || typeof note === 'string'
      end(isRight && isNote && Object.keys(others).length === 0 ? 204 : 422)
    })
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
    `,
    { eval: true, workerData: pattern },
  )
  onTestFinished(async () => void (await worker.terminate()))
  const port = await new Promise((resolve) => worker.once('message', resolve))
  return check(document, new URL(`http://127.0.0.1:${port}`), {
    runs: 5,
    seed: 1,
    timeoutMs: 4_000,
  })
}

it.each(['^([a-z0-9]+-?)+$', '^(\\w+\\s?)*;$', '^x-(a|[a-z])+$'])(
  'A check finds that the pattern %s holds the service',
  async (pattern) => {
    const { findings } = await serviceOf(pattern)
    expect(findings.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['slow-pattern', 'postName'],
    ])
    expect(findings[0]?.message).toContain(`'${pattern}'`)
  },
  240_000,
)

it.each(['^[a-z0-9]+(-[a-z0-9]+)*$', '^[a-z]+@[a-z]+\\.[a-z]+$', '^(?=a)[ab]+$'])(
  'A check finds nothing wrong with the pattern %s',
  async (pattern) => {
    expect((await serviceOf(pattern)).findings).toEqual([])
  },
  120_000,
)
