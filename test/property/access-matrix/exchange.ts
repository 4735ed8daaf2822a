import type { World } from './world.ts'

export interface Answer {
  readonly status: number
  readonly headers: readonly (readonly [string, string])[]
  readonly text: string
}

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
}

export async function send({ router }: World, request: SentRequest): Promise<Answer> {
  const { method, url, headers, body } = request
  const response = await router.handle(
    new Request(`http://localhost${url}`, { method, headers, ...(body !== undefined && { body }) }),
  )
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => name !== 'date'),
    text: await response.text(),
  }
}

export function headerOf({ headers }: Answer, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1]
}
