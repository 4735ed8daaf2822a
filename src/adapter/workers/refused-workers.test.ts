import { expect, it } from 'vitest'
import { respond } from '../../http/api-response.ts'
import { type ServeOptions, type Service, serve } from '../node.ts'

const service: Service = { basePath: '/api', respond: async () => respond(200) }

it.each([
  [{ workers: 0 }, "must be 'auto' or an integer from 1 to 1024; got 0."],
  [{ workers: 'all' }, "must be 'auto' or an integer from 1 to 1024; got 'all'."],
  [
    { workers: 2, health: { duringStart: true } },
    "'duringStart' of health checks does not go with",
  ],
  [{ workers: 2, hosts: ['Books:80'] }, "The option 'hosts' of serve()"],
])('refuses %j before any process starts', async (options, message) => {
  await expect(serve(service, options as ServeOptions)).rejects.toThrow(message)
})

it('refuses services that keep their data in one process', async () => {
  const inMemory: Service = { ...service, isProcessLocal: true }
  await expect(serve([{ ...service, basePath: '/x' }, inMemory], { workers: 2 })).rejects.toThrow(
    "The service at '/api' keeps items or files in the memory of its process",
  )
})

it('says all that is wrong at once', async () => {
  const options = {
    workers: 0,
    port: -1,
    limits: { maxConnections: 0 },
    hosts: ['Books:80'],
    trustProxy: 0,
    health: { livePath: 'live', readyPath: 'ready' },
  }
  const { message } = await serve({ ...service, dependencies: 5 } as never, options).then(
    () => new Error('It serves.'),
    (error: Error) => error,
  )
  const lines = message.split('\n')
  const subjects = ["'port'", "'maxConnections'", "'livePath'", "'readyPath'", "'trustProxy'"]
  for (const subject of [...subjects, "'workers'", "'hosts'", "'dependencies'"])
    expect(lines.filter((line) => line.includes(subject))).toHaveLength(1)
  expect(lines).toHaveLength(8)
})

it('has nothing to restart without workers', async () => {
  const server = await serve(service)
  expect(server.role).toBe('only')
  await expect(server.restart()).rejects.toThrow('restart() replaces workers')
  await server.close()
})
