import { useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { pairingQuery } from '../api/pairings.ts'
import type { Pairing } from '../api/records.ts'

export function Head({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex items-start gap-3">
      <span className="grid size-10 shrink-0 place-items-center rounded-xl bg-accent-soft text-accent-strong">
        <KeyRound size={20} aria-hidden />
      </span>
      <div className="min-w-0">
        <div role="status">
          <h3 className="text-base font-semibold">{title}</h3>
        </div>
        <p className="mt-1 leading-relaxed text-muted">{children}</p>
      </div>
    </div>
  )
}

export function useShowPairing(id: string): (next: Pairing) => void {
  const queries = useQueryClient()
  return next => queries.setQueryData(pairingQuery(id).queryKey, next)
}
