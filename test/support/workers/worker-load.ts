import { Agent, request } from 'node:http'

/** Clients that send one request after the other, each on a connection that is kept open. */
export interface WorkerLoad {
  /** The responses so far, by the process that sent them. */
  readonly responses: ReadonlyMap<number, number>
  /** What went wrong: an error code, or an unexpected status. */
  readonly failures: readonly string[]
  /** The process that each client had its last response from. */
  readonly servedBy: ReadonlyMap<number, number>
  /** Lets each client finish its request. */
  stop(): Promise<void>
}

/** @param path responds with the id of its process */
export function loadWorkers(port: number, path: string, clients: number): WorkerLoad {
  const responses = new Map<number, number>()
  const failures: string[] = []
  /** The process that each client had its last response from. */
  const servedBy = new Map<number, number>()
  let isStopped = false
  const client = async (index: number): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isStopped) {
      const outcome = await ask(agent, port, path)
      if (typeof outcome === 'string') failures.push(outcome)
      else {
        responses.set(outcome, (responses.get(outcome) ?? 0) + 1)
        servedBy.set(index, outcome)
      }
    }
    agent.destroy()
  }
  const running = Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  return {
    responses,
    failures,
    servedBy,
    stop: async () => {
      isStopped = true
      await running
    },
  }
}

function ask(agent: Agent, port: number, path: string): Promise<number | string> {
  return new Promise((resolve) => {
    const sent = request({ agent, port, path, host: '127.0.0.1', timeout: 10_000 }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () =>
        resolve(response.statusCode === 200 ? Number(body) : `status ${response.statusCode}`),
      )
      response.on('error', ({ message }) => resolve(message))
    })
    sent.on('timeout', () => sent.destroy(new Error('no response')))
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    sent.end()
  })
}
