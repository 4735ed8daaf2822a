import { Article, Desk, type Newsroom, Remark } from '../../support/newsroom.ts'

/** Changes an item of the newsroom, or moves its clock on. */
export async function changeSomething(
  { router, tick, nowMs }: Newsroom,
  random: (below: number) => number,
): Promise<void> {
  const articles = router.items(Article)
  const desks = router.items(Desk)
  const remarks = router.items(Remark)
  const id = `a${random(12)}`
  const values = () => ({
    title: `T${random(5)}`,
    words: random(100),
    status: random(2) === 0 ? ('draft' as const) : ('ready' as const),
    owner: random(2) === 0 ? 'ann' : 'bob',
    publishAt: new Date(nowMs() + random(100) * 60_000).toISOString(),
    notes: `n${random(2)}`,
    secret: `s${random(2)}`,
  })
  const exists = (await articles.get(id)) !== undefined
  switch (random(10)) {
    case 0:
      return tick(random(20) * 60_000)
    case 1:
      return void (await desks
        .update(`d${random(3)}`, { isOpen: random(2) === 0 })
        .catch(() =>
          desks.create({ id: `d${random(3)}`, name: `D${random(3)}` }).catch(() => undefined),
        ))
    case 2:
      return void (await desks.delete(`d${random(3)}`).catch(() => undefined))
    case 3:
      return void (await remarks
        .create({ id: `r${random(10)}`, text: `R${random(3)}`, article: id })
        .catch(() => undefined))
    case 4:
      return void (await articles.delete(id).catch(() => undefined))
    case 5:
      return void (await articles.update(id, { desk: `d${random(3)}` }).catch(() => undefined))
    case 6:
      return void (await articles.update(id, { secret: `s${random(2)}` }).catch(() => undefined))
    default: {
      if (!exists) return void (await articles.create({ id, ...values() }))
      const { title, words, status, owner, notes } = values()
      const part = [{ title }, { words }, { status }, { owner }, { notes }, { status, owner }]
      return void (await articles.update(id, part[random(part.length)]!))
    }
  }
}
