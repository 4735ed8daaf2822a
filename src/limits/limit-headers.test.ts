import { expect, it } from 'vitest'
import { withLimitHeaders } from './limit-headers.ts'

const state = (name: string, remainingPoints: number) => ({
  name,
  points: 9,
  seconds: 60,
  remainingPoints,
  secondsUntilReset: 30,
})

it('replaces an earlier state of the same limit, and keeps those of others', () => {
  const names = ['a', 'b", c', 'r=1;t=2, x', 'a b'].map((name) => name.replaceAll('"', ''))
  let headers = {}
  for (const [index, name] of names.entries())
    headers = withLimitHeaders(headers, state(name, index))
  for (const [index, name] of names.entries())
    headers = withLimitHeaders(headers, state(name, index + 5))
  expect(headers).toEqual({
    'ratelimit-policy': '"a";q=9;w=60, "b, c";q=9;w=60, "r=1;t=2, x";q=9;w=60, "a b";q=9;w=60',
    ratelimit: '"a";r=5;t=30, "b, c";r=6;t=30, "r=1;t=2, x";r=7;t=30, "a b";r=8;t=30',
  })
})
