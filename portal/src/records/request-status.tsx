import { Status } from '../ui/status.tsx'

/** The status of an answer: whose fault it is shows at a glance. */
export function RequestStatusMark({ status }: { status: number }) {
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'waiting' : 'good'
  return <Status tone={tone}>{String(status)}</Status>
}
