import { describe, expect, it } from 'vitest'
import { summarize } from './check.ts'
import { checked, type Defect } from './faulty-service.testing.ts'

describe('a contract check', () => {
  it('finds nothing wrong with a service that does as it says', async () => {
    const report = await checked('none')
    expect(report.findings).toEqual([])
    expect(report.requestCount).toBeGreaterThan(100)
  })

  it('finds nothing wrong with one that responds for its own host only', async () => {
    expect((await checked('refuses other hosts')).findings).toEqual([])
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
    ['responds to any method', 'method-not-refused'],
    ['does what it refuses', 'method-not-refused'],
    ['forgets Allow', 'allow-differs'],
    ['forgets what it created', 'created-not-readable'],
    ['keeps what it deleted', 'deleted-still-there'],
    ['HEAD with another tag', 'head-differs'],
    ['new tag each time', 'tag-differs'],
    ['ignores If-Match', 'stale-write-accepted'],
    ['body with 204', 'no-response'],
    ['loses updates', 'lost-update'],
    ['creates twice', 'created-twice'],
    ['brings back what it deleted', 'deleted-still-there'],
    ['takes two hosts', 'framing-accepted'],
    ['takes broken framing', 'framing-accepted'],
    ['stumbles over absolute targets', 'transport-differs'],
    ['redirects other hosts', 'transport-differs'],
    ['refuses other hosts in Host only', 'transport-differs'],
    ['reads the first piece of a body', 'transport-differs'],
    ['fails at odd addresses', 'server-error'],
    ['leads odd addresses elsewhere', 'transport-differs'],
    ['slow', 'too-slow'],
    ['silent', 'no-response'],
  ]
  it.each(canaries)('finds a service with the defect «%s»', async (defect, kind) => {
    expect(Object.keys(summarize(await checked(defect)))).toContain(kind)
  })
})
