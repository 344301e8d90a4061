"""The SEEDA protocol of meta-evaluation."""
