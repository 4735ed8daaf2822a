import { createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkStoredValues as checkOfSource } from '../../../src/api/check-stored-values.ts'
import { createRouter as createRouterOfSource } from '../../../src/api/create-router.ts'
import { withSerializer } from '../with-serializer.ts'
import { checkStoredValues } from './late-check.ts'
import { countedAtOnce, expectClosedStreams } from './streams.ts'
import { expectNoViolations } from './violations.ts'
import { createRouter as watchedCreateRouter } from './watched-router.ts'
import { leaveRoutersUnwatched, watchRouters } from './watching.ts'

const Book = model('book', { title: z.string() })

/** The response has a member that the document does not name. */
async function getBook(): Promise<string> {
  const policy = withSerializer(rest(), ({ writeItem }) => ({
    sendsRawJson: false,
    writeItem: (...item) => `${writeItem(...item).slice(0, -1)},"price":9}`,
  }))
  const router = createRouter({ policy, store: memory() })
  router.prepare(Book)
  await router.load(Book, [{ id: '1', title: 'Dune' }])
  return (await router.handle(new Request('http://localhost/books/1'))).text()
}

describe('Without being called, the checks of all tests', () => {
  it('are in the modules that tests import, by whatever name', () => {
    expect(createRouter).toBe(watchedCreateRouter)
    expect(createRouterOfSource).toBe(watchedCreateRouter)
    expect(checkOfSource).toBe(checkStoredValues)
  })

  it('fail a test that gets a response which the document does not describe', async () => {
    expect(await getBook()).toContain('"price":9')
    expect(expectNoViolations).toThrow('the document or the specification says otherwise')
    expect(expectNoViolations).not.toThrow()
  })

  it('accept it in a test file that leaves routers unwatched', async () => {
    leaveRoutersUnwatched()
    await getBook()
    watchRouters()
    expect(expectNoViolations).not.toThrow()
  })

  it('fail a test file that leaves a stream open', async () => {
    countedAtOnce('a list', { [Symbol.asyncIterator]: () => ({}) as AsyncIterator<never> })
    await expect(expectClosedStreams(50)).rejects.toThrow('neither read to their ends nor closed')
    await expectClosedStreams()
  }, 30_000)
})
